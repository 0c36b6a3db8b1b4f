// All probes of a command line: from parsed texts to attached programs.
//
//   build()   parsed probes -> sites -> generated programs     (reads files; no privileges, no kernel)
//   load()    programs into the kernel, with the C half of the tool's object
//   attach()  programs to their sites
//
// Each group of sites with the same argument places gets a program of its own; its index in
// programs() is the `probe` number of its records.
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

// What a generated program is loaded with.
struct ProgramBinding {
    const attach::Template &code;       // the part in C, with the probe's EventOutput::function
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
    bool any_condition() const;                  // does any have one of its own?
    bool any_conversion(char conversion) const;  // does one show a value so? ('U': user symbol)
    size_t site_count() const;
    bool any_go_calls() const;    // does any program remember calls of Go functions?
    bool any_exit_calls() const;  // or of others whose returns are seen at their ways out?
    // Places left out because no probe can be there: how many by reason (resolve::Group).
    resolve::Refusals refusals() const;
    // After attach(): names of places that got no probe though others did, by the reason ("the kernel refuses …").
    using LeftOut = std::map<std::string, std::set<std::string>>;
    const LeftOut &left_out() const { return left_out_; }
    // The processes that were named, and so should have the breakpoints.
    void meant_for(std::vector<pid_t> pids) { processes_ = std::move(pids); }
    const std::vector<pid_t> &processes() const { return processes_; }
    uint32_t largest_record() const;  // bytes
    // For the calls map: bytes of a value; 0: not needed.
    uint32_t call_bytes() const;

    // Where the entries end of the table by which programs know their sites; what goes there before
    // they run.
    uint32_t site_entries() const { return site_entries_; }
    Result<> fill_site_table(int table) const;

    Result<> load(const ProgramBindings &bindings);
    // To every process and those that start later (`pid` 0), or to this one, once more for each: then nobody else's memory
    // has the probes. Where its memory is not what the file has, there is none. Errors: its cgroup has no room for the
    // pages with probes; it runs a copy of its code; it is an emulator or the like. To every process: one of them only reads
    // the file; the dynamic linker changes the file's code.
    Result<> attach(pid_t pid);
    Result<> attach(pid_t pid, std::optional<CodeInMemory> code);  // of that process
    // Once more, when the process has lost its probes: those of functions.
    Result<> attach_again(pid_t pid);
    // Keeps the files open, whatever becomes of the processes by which they were found: for processes that come later.
    Result<> hold_files();
    // Is it attached to this process, by itself or as to every other?
    bool reaches(pid_t pid) const { return links_.contains(0) || links_.contains(pid); }
    // Does a process map the code of one of the files?
    bool is_mapped_in(CodeInMemory &code) const;
    bool is_of_go() const;  // are these files programs in Go?
    // Who would take probes in these files, of every process, for a part of what it reads.
    std::optional<Reader> reader() const { return find_reader(offsets()); }
    // Of a process that has ended, or executes something else: what is to be closed.
    attach::Links release(pid_t pid);
    // Returns when the last event has happened. `on_slow`: see attach::close_links().
    void detach(const std::function<void(size_t)> &on_slow = {});

  private:
    ProbeSet();
    Result<> add_program(const ProbeRequest &parsed, resolve::Group group,
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
    std::map<std::string, Fd> held_;  // by the path that they were found by
    std::map<pid_t, attach::Links>
        links_;  // last: detached before the programs go. 0: of all processes
};

}  // namespace uscope::probe
