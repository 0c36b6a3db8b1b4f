// One generated program of a probe: for the sites that share where their arguments are.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
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
    bool any_later = false;     // also those of processes that start later
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
    // Asked about a probe that has no place: true if the others do without it. May be empty.
    std::function<bool(const Parsed &, const Error &)> skips;
};

// The program for these sites, known by `number` (expr::ProgramRequest::probe), not yet divided into
// parts. It refers to `parsed`.
Result<std::unique_ptr<Program>> compile(const Parsed &parsed, resolve::Group group,
                                         const BuildOptions &options, uint32_t number);
// Compiles its entry once more, to save values of at least so many bytes.
Result<> recompile_entry(Program &program, const BuildOptions &options, uint32_t number,
                         uint32_t least_call_bytes);
// The program for the jumps by which the functions of `owner` (numbered `owner_number`) are left, where all is known of the
// call but its result. Nothing: there is no such jump.
Result<std::unique_ptr<Program>> compile_tail_calls(const Program &owner, uint32_t owner_number,
                                                    const BuildOptions &options, uint32_t number);
// What the kernel attaches it to: fills the program's parts. `place_count`: of the table of sites, in and out.
void divide(Program &program, const BuildOptions &options, uint32_t &place_count);

}  // namespace uscope::probe
