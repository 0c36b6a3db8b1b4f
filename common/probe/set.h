// All probes of a command line: turns parsed probes into attached programs.
//
//   build()   finds the sites of parsed probes and generates programs (reads files; needs neither
//             privileges nor the kernel)
//   load()    loads the programs into the kernel, with the C code of the tool's object
//   attach()  attaches the programs to their sites
//
// Sites whose arguments are in the same registers and memory form a group, and each group has its
// own program. A program's records contain its number, as `probe`: its index in programs(), plus
// BuildOptions::shared.
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
#include "probe/sites.h"

namespace uscope::attach {
struct UprobeSite;
}
namespace uscope::expr {
enum class MapSlot : uint8_t;
}
namespace uscope::kernel {
class Templates;
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
    bool any_conversion(char conversion) const;  // does any format contain it ('U' for "%U")?
    size_t site_count() const;
    bool any_go_calls() const;  // does any program record calls of Go functions?
    // Does any program record calls and trace their returns at exit sites?
    bool any_exit_calls() const;
    bool any_in_kernel() const;  // does any program run at tracepoints or kernel functions?
    // Returns the number of functions that cannot be probed, by reason (resolve::Group).
    resolve::Refusals refusals() const;
    // After attach(): the names of the sites that got no probe, by reason ("the kernel refuses …").
    using LeftOut = std::map<std::string, std::set<std::string>>;
    const LeftOut &left_out() const { return left_out_; }
    // Stores the processes that the user selected, for processes(). Their memory should contain the
    // breakpoints.
    void set_processes(std::vector<pid_t> pids) { processes_ = std::move(pids); }
    const std::vector<pid_t> &processes() const { return processes_; }
    // Returns the inode numbers of the traced files, without device numbers because these differ
    // between mount namespaces. Returns nullopt if a probe is in the kernel or at a tracepoint,
    // which every process reaches.
    std::optional<std::set<uint64_t>> traced_inodes() const;
    uint32_t largest_record() const;  // in bytes
    // The size of a value in the map of calls (MapSlot::Calls), in bytes; 0: the map is not needed.
    uint32_t call_bytes() const;

    // The number of entries in the tables in which programs look up their sites. Includes those
    // before BuildOptions::shared.
    SiteTableSizes site_tables() const { return site_tables_; }
    // Call before the programs run. `table`, `exits`: the descriptors of site_table and site_exits.
    Result<> fill_site_tables(int table, int exits) const;

    // Loads the programs into the kernel. `templates` must have the functions of event_output.
    Result<> load(const kernel::Templates &templates, const ProgramBindings &bindings);
    // `pid` 0: attaches to all processes, including later ones. Otherwise, attaches only to this
    // process, so that no other process gets the breakpoints; call it once for each process. A site
    // gets no probe if its code in the process's memory differs from the file. Errors for one
    // process: its cgroup has too little memory left for the pages with probes; it runs a copy of
    // the file's code in anonymous memory; it emulates or instruments other code. Errors for all
    // processes: one of them maps the file as data (probe/readers.h); the dynamic linker changes
    // the file's code when it loads it.
    Result<> attach(pid_t pid);
    // `code`: the code of the process `pid`.
    Result<> attach(pid_t pid, std::optional<CodeInMemory> code);
    // Attaches the probes, except those at tracepoints, again to a process that has lost them
    // because a thread other than its main thread executed a program.
    Result<> attach_again(pid_t pid);
    // Keeps the files open. Later processes can then be probed even if the processes whose /proc
    // entries led to the files have ended.
    Result<> hold_files();
    // Are the probes attached to this process, or to all processes?
    bool reaches(pid_t pid) const { return links_.contains(0) || links_.contains(pid); }
    // `code` is the memory of a process: has this process mapped the code of one of the files?
    bool is_mapped_in(CodeInMemory &code) const;
    bool is_of_go() const;  // are all files Go programs?
    // Returns a process that maps one of the files as data: it would read the breakpoints if the
    // probes were attached to all processes.
    std::optional<Reader> reader() const { return find_reader(offsets()); }
    // Removes and returns the links of a process, for example after it has ended or executed
    // another program; the caller closes them.
    attach::Links release(pid_t pid);
    // Detaches all programs. When it returns, they write no more events. `on_slow`: see
    // attach::close_links().
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
    uint32_t sampled_entries_ = 0;  // of the map Sampled; 0: all events are chosen
    SiteTableSizes site_tables_;
    LeftOut left_out_;
    std::vector<pid_t> processes_;
    std::map<std::string, Fd> held_;  // hold_files(): the open files, by their former open_path
    // The links to each process; key 0: to all processes. This is the last member, so that programs
    // are detached before their descriptors are closed.
    std::map<pid_t, attach::Links> links_;
};

}  // namespace uscope::probe
