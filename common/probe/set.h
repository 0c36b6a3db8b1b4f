// All probes of a command line: from parsed texts to attached programs.
//
//   build()   parsed probes -> sites -> generated programs     (reads files; no privileges, no kernel)
//   load()    programs into the kernel, with the C half of the tool's object
//   attach()  programs to their sites
//
// Each group of sites with the same argument places gets a program of its own; its index in
// programs() is the `probe` number of its records.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/link.h"
#include "probe/parsed.h"
#include "probe/sites.h"
#include "resolve/names.h"
#include "resolve/resolve.h"

namespace uscope::probe {

struct Program {
    const Parsed *probe = nullptr;
    resolve::Group group;
    std::unique_ptr<resolve::Names> names;
    expr::NodeRef goroutine;  // null: not recorded
    expr::Program main;
    std::optional<expr::Program> entry;   // for $entry() and $latency
    std::vector<std::string> site_names;  // by number: 1 … n; [0] when there is one
    std::vector<Part> entry_parts;        // of what `entry` is attached to: a program for each
    std::vector<Fd> entry_fds;            // the same
    std::vector<Part> parts;              // of what `main` is attached to: a program for each
    std::vector<Fd> main_fds;             // the same

    const std::string &site_name(uint32_t number) const;
    // Is it at the start of kernel functions, where the walk of a stack misses the caller (on arm64;
    // bpf/lib/stack.bpf.h)?
    bool misses_kernel_caller() const;
};

struct BuildOptions {
    std::vector<pid_t> lookup;  // processes whose files are meant
    expr::ProcessFilter filter;
    // Sites have cookies, which programs can ask for: those in programs, those in the kernel.
    bool has_cookies = false, has_kernel_cookies = false;
    bool kernel_filters = false;  // uprobes are attached to the one process: no need to compare
    uint32_t string_bytes = 80;
    std::optional<uint32_t> small_string_bytes = {};  // as in expr::ProgramRequest
    bool sleepable = false;                           // the kernel has sleepable uprobes
    // Asked when a return program wants something from the entry: has the kernel session programs,
    // for functions of its own or of programs?
    std::function<std::optional<expr::SessionCalls>(bool is_kernel)> session;
    // For tools that look at calls and not at their arguments: the places of all probes that are
    // alike get one program, each place once. Tracepoints have one each.
    bool joined = false;
    // Several sets may share an object and its maps, if no two of their programs have one number,
    // and what they save of calls has the same size: at least so many bytes.
    uint32_t first_number = 0, least_call_bytes = 0;
    uint32_t first_place = 0;  // of the table of sites, which they share as well
    // Says more of an error in finding a probe's places; may be empty.
    std::function<void(const Parsed &, Error &)> explain;
};

// What a program is loaded with.
struct KernelSide {
    const attach::Template &half;  // that has the probe's Delivery::function
    std::map<expr::MapSlot, int> maps;
};

class Set {
  public:
    Set(Set &&) = default;
    Set &operator=(Set &&) = delete;
    ~Set() { detach(); }

    static Result<Set> build(std::vector<Parsed> probes, const BuildOptions &options);

    const std::vector<std::unique_ptr<Program>> &programs() const { return programs_; }
    bool any_message() const;                    // does any probe have a format?
    bool any_conversion(char conversion) const;  // does one show a value so? ('U': user symbol)
    size_t site_count() const;
    bool any_go_calls() const;    // does any program remember calls of Go functions?
    bool any_exit_calls() const;  // or of others whose returns are seen at their ways out?
    // Places left out because no probe can be there: how many by reason (resolve::Group).
    resolve::Refusals refusals() const;
    // After attach(): names of places that the kernel would not have, though others were accepted.
    const std::set<std::string> &left_out() const { return left_out_; }
    uint32_t largest_record() const;  // bytes
    // For the calls map: bytes of a value; 0: not needed.
    uint32_t call_bytes() const;

    // Where the entries end of the table by which programs know their sites; what goes there before
    // they run.
    uint32_t place_count() const { return place_count_; }
    Result<> fill_places(int table) const;

    Result<> load(const std::function<KernelSide(const Program &)> &kernel_side);
    // `pid`: the only process, or 0.
    Result<> attach(pid_t pid);
    // Returns when the last event has happened. `on_slow`: see attach::close_links().
    void detach(const std::function<void(size_t)> &on_slow = {})
    {
        attach::close_links(std::exchange(links_, {}), on_slow);
    }

  private:
    Set() = default;
    Result<> add_program(const Parsed &parsed, resolve::Group group, const BuildOptions &options);
    Result<> add_tail_calls(const Program &owner, uint32_t number, const BuildOptions &options);
    void part_sites(Program &program, const BuildOptions &options);
    Result<> attach_parts(const Program &program, const std::vector<Fd> &fds,
                          const std::vector<Part> &parts, bool is_entry, pid_t pid);
    Result<> attach_sites(const Program &program, int fd, const std::vector<Sites> &files,
                          bool is_entry, pid_t pid);

    std::vector<std::unique_ptr<Parsed>> probes_;
    std::vector<std::unique_ptr<Program>> programs_;
    bool sleepable_ = false;
    uint32_t place_count_ = 0;
    std::set<std::string> left_out_;
    attach::Links links_;  // last: detached before the programs go
};

}  // namespace uscope::probe
