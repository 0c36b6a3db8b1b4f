// All probes of a command line: from parsed texts to attached programs.
//
//   build()   finds the sites of parsed probes and generates programs (reads files; needs neither
//             privileges nor the kernel)
//   load()    loads the programs into the kernel, with the C code of the tool's object
//   attach()  attaches the programs to their sites
//
// Sites whose arguments are in the same registers and memory form a group, and each group has its
// own program. The program's index in programs() is the `probe` number in its records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "attach/links.h"
#include "base/fd.h"
#include "base/result.h"
#include "probe/readers.h"
#include "probe/request.h"

namespace uscope::attach {
class Template;
struct UprobeSite;
}  // namespace uscope::attach
namespace uscope::expr {
enum class MapSlot : uint8_t;
}
namespace uscope::resolve {
struct Group;
using Refusals = std::map<std::string, size_t>;
}  // namespace uscope::resolve

namespace uscope::probe {

struct BuildOptions;
class CodeInMemory;
struct Part;
struct Program;

// What load() combines with a generated program.
struct ProgramBinding {
    const attach::Template &code;       // the C code, with the probe's EventOutput::function
    std::map<expr::MapSlot, int> maps;  // descriptors
};
using ProgramBindings = std::function<ProgramBinding(const Program &)>;

class ProbeSet {
  public:
    ProbeSet(ProbeSet &&) noexcept;
    ProbeSet &operator=(ProbeSet &&) = delete;
    ~ProbeSet();

    static Result<ProbeSet> build(std::vector<ProbeRequest> probes, const BuildOptions &options);

    const std::vector<std::unique_ptr<Program>> &programs() const { return programs_; }
    bool any_message() const;                    // does any probe have a format?
    bool any_condition() const;                  // does any probe have a condition of its own?
    bool any_conversion(char conversion) const;  // does any format have it? ('U': user symbol)
    size_t site_count() const;
    bool any_go_calls() const;    // does any program record calls of Go functions?
    bool any_exit_calls() const;  // does any program record calls whose returns exit sites trace?
    // How many functions cannot be probed, by reason (resolve::Group).
    resolve::Refusals refusals() const;
    // After attach(): names of sites without a probe, by reason ("the kernel refuses …").
    using LeftOut = std::map<std::string, std::set<std::string>>;
    const LeftOut &left_out() const { return left_out_; }
    // Sets the processes that the user named, whose memory should have the breakpoints.
    void meant_for(std::vector<pid_t> pids) { processes_ = std::move(pids); }
    const std::vector<pid_t> &processes() const { return processes_; }
    // The inodes of the traced files (devices differ between mount namespaces). Returns nullopt if
    // probes are on the kernel, and so in every process.
    std::optional<std::set<uint64_t>> traced_inodes() const;
    uint32_t largest_record() const;  // bytes
    // Value size of the calls map in bytes; 0: the map is not needed.
    uint32_t call_bytes() const;

    // The number of entries in the site table, in which programs look up the numbers of their
    // sites, including those before BuildOptions::first_site_entry.
    uint32_t site_entries() const { return site_entries_; }
    // Call before the programs run. `table`: the map's descriptor.
    Result<> fill_site_table(int table) const;

    Result<> load(const ProgramBindings &bindings);
    // `pid` 0: attaches to all processes, including later ones. Else only to this process, and no
    // other process has the breakpoints; call it once for each process. Sites whose code in memory
    // differs from the file get no probe. Errors for one process: its cgroup has no memory left for
    // the pages with probes; it runs a copy of its code; it is an emulator or the like. Errors for
    // all processes: one of them only reads the file; the dynamic linker changes the file's code.
    Result<> attach(pid_t pid);
    Result<> attach(pid_t pid, std::optional<CodeInMemory> code);  // `code`: that process's
    // Attaches the probes of functions again, after the process has lost them.
    Result<> attach_again(pid_t pid);
    // Keeps the files open for later processes, even if the processes through which they were found
    // end.
    Result<> hold_files();
    // Is it attached to this process, alone or together with all others?
    bool reaches(pid_t pid) const { return links_.contains(0) || links_.contains(pid); }
    // Does the process of `code` map the code of one of the files?
    bool is_mapped_in(CodeInMemory &code) const;
    bool is_of_go() const;  // are all files Go programs?
    // A process that would read the probes in these files as data if they were attached to all.
    std::optional<Reader> reader() const { return find_reader(offsets()); }
    // Returns the links of a process that has ended or executes another program; the caller closes
    // them.
    attach::Links release(pid_t pid);
    // After it returns, there are no more events. `on_slow`: see attach::close_links().
    void detach(const std::function<void(size_t)> &on_slow = {});

  private:
    ProbeSet();
    Result<> add_program(const ProbeRequest &probe, resolve::Group group,
                         const BuildOptions &options);
    Result<> attach_to_tracepoint(const Program &program);
    FileOffsets offsets() const;
    Result<> check_memory(pid_t pid) const;
    struct Target;
    Result<> attach_parts(const Program &program, const std::vector<Fd> &fds,
                          const std::vector<Part> &parts, bool is_entry, Target &target);
    Result<> attach_sites(const Program &program, int fd,
                          const std::vector<std::vector<attach::UprobeSite>> &files, bool is_entry,
                          Target &target);
    Result<attach::Links> attach_user(const Program &program, int fd, size_t file,
                                      std::vector<attach::UprobeSite> sites, bool is_return,
                                      Target &target);

    std::vector<std::unique_ptr<ProbeRequest>> probes_;
    std::vector<std::unique_ptr<Program>> programs_;
    bool sleepable_ = false;
    uint32_t site_entries_ = 0;
    LeftOut left_out_;
    std::vector<pid_t> processes_;
    std::map<std::string, Fd> held_;  // open files, by the path that they were found at
    // By process; 0: for all. The last member, so that programs are detached before they are
    // closed.
    std::map<pid_t, attach::Links> links_;
};

}  // namespace uscope::probe
