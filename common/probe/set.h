// All probes of a command line: turns parsed probes into attached programs.
//
//   build()   finds the sites of parsed probes and generates programs (reads files; needs neither
//             privileges nor the kernel)
//   load()    loads the programs into the kernel, with the C code of the tool's object
//   attach()  attaches the programs to their sites
//
// Sites whose arguments are in the same registers and memory form a group, and each group has its
// own program. The `probe` number in a program's records is its index in programs(), plus
// BuildOptions::first_number.
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
class Templates;
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

// The descriptors of the maps that a generated program uses.
using ProgramBinding = std::map<expr::MapSlot, int>;
using ProgramBindings = std::function<ProgramBinding(const Program &)>;

class ProbeSet {
  public:
    ProbeSet(ProbeSet &&) noexcept;
    ProbeSet &operator=(ProbeSet &&) = delete;
    ~ProbeSet();

    static Result<ProbeSet> build(std::vector<ProbeRequest> probes, const BuildOptions &options);

    const std::vector<std::unique_ptr<Program>> &programs() const { return programs_; }
    bool any_message() const;                    // does any probe have a format?
    bool any_predicate() const;                  // does any probe have a predicate?
    bool any_conversion(char conversion) const;  // does any format have it? ('U': user symbol)
    size_t site_count() const;
    bool any_go_calls() const;  // does any program record calls of Go functions?
    // Does any program record calls and trace their returns at exit sites?
    bool any_exit_calls() const;
    // The number of functions that cannot be probed, by reason (resolve::Group).
    resolve::Refusals refusals() const;
    // After attach(): the names of the sites that got no probe, by reason ("the kernel refuses …").
    using LeftOut = std::map<std::string, std::set<std::string>>;
    const LeftOut &left_out() const { return left_out_; }
    // Sets processes(): those that the user selected, whose memory should contain the breakpoints.
    void set_processes(std::vector<pid_t> pids) { processes_ = std::move(pids); }
    const std::vector<pid_t> &processes() const { return processes_; }
    // The inodes of the traced files (their device numbers differ between mount namespaces).
    // Returns nullopt if a probe is in the kernel or at a tracepoint, which every process reaches.
    std::optional<std::set<uint64_t>> traced_inodes() const;
    uint32_t largest_record() const;  // in bytes
    // Value size of the calls map in bytes; 0: the map is not needed.
    uint32_t call_bytes() const;

    // The number of entries in the site table, including those before
    // BuildOptions::first_site_entry. Programs look up the numbers of their sites there.
    uint32_t site_entries() const { return site_entries_; }
    // Call before the programs run. `table`: the map's descriptor.
    Result<> fill_site_table(int table) const;

    // `templates` have the functions of EventOutput.
    Result<> load(const attach::Templates &templates, const ProgramBindings &bindings);
    // `pid` 0: attaches to all processes, including later ones. Otherwise, attaches only to this
    // process, and no other process gets the breakpoints; call it once for each process. Sites
    // whose code in memory differs from the file get no probe.
    // Errors for one process: its cgroup has too little memory left for the pages with probes; it
    // runs a copy of the file's code in anonymous memory; it emulates or instruments other code.
    // Errors for all processes: one of them maps the file as data (probe/readers.h); the dynamic
    // linker changes the file's code when it loads it.
    Result<> attach(pid_t pid);
    Result<> attach(pid_t pid, std::optional<CodeInMemory> code);  // `code`: of that process
    // Attaches the probes to the process again after it has lost them, except those at tracepoints.
    Result<> attach_again(pid_t pid);
    // Keeps the files open, so that later processes can be probed even if the processes through
    // which the files were found have ended.
    Result<> hold_files();
    // Are the probes attached to this process, alone or together with all others?
    bool reaches(pid_t pid) const { return links_.contains(0) || links_.contains(pid); }
    // Has the process whose memory `code` describes mapped the code of one of the files?
    bool is_mapped_in(CodeInMemory &code) const;
    bool is_of_go() const;  // are all files Go programs?
    // Returns a process that maps one of the files as data: it would read the breakpoints if the
    // probes were attached to all processes.
    std::optional<Reader> reader() const { return find_reader(offsets()); }
    // Removes and returns the links of a process, for example after it has ended or executed
    // another program; the caller closes them.
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
    // By process; 0: for all. It is the last member, so that programs are detached before their
    // descriptors are closed.
    std::map<pid_t, attach::Links> links_;
};

}  // namespace uscope::probe
