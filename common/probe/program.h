// One generated program of a probe, for sites whose arguments are in the same registers and memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "probe/sites.h"
#include "resolve/names.h"
#include "resolve/resolve.h"

namespace uscope::probe {

struct BuildOptions;
struct ProbeRequest;

struct Program {
    Program();
    Program(const Program &) = delete;
    ~Program();

    const ProbeRequest *probe = nullptr;
    resolve::Group group;
    std::unique_ptr<resolve::Names> names;
    // What a probe without a format shows (ProbeRequest::shows_all), and the values of those that
    // have one.
    std::vector<resolve::Names::Shown> shown;
    std::vector<expr::NodeRef> shown_values;
    expr::NodeRef goroutine;  // null: not recorded
    expr::Program main;
    std::optional<expr::Program> entry;   // for $entry() and $latency
    std::vector<std::string> site_names;  // of sites 1 … n; if all have one name, only that
    std::vector<Part> entry_parts;        // the sites of `entry`
    std::vector<Fd> entry_fds;            // the loaded program of each of these parts
    std::vector<Part> parts;              // the sites of `main`
    std::vector<Fd> main_fds;             // the loaded program of each of these parts
    uint32_t first_exit = 0;              // in site_exits
    std::vector<site_exit> exits;         // from there on

    const std::string &site_name(uint32_t number) const;
    // Does the program run at the start of kernel functions on arm64? There, the kernel's stack
    // walk misses the caller (bpf/unwind/stack.bpf.h).
    bool misses_kernel_caller() const;
};

// Compiles the program for the sites of `group`, but does not divide these into parts. `number`
// becomes expr::ProgramRequest::probe. The result refers to `probe`.
Result<std::unique_ptr<Program>> compile(const ProbeRequest &probe, resolve::Group group,
                                         const BuildOptions &options, uint32_t number);
// Compiles the entry program again, with call records of at least `least_call_bytes`.
Result<> recompile_entry(Program &program, const BuildOptions &options, uint32_t number,
                         uint32_t least_call_bytes);
// Compiles the program for the jumps by which the functions of the program `owner` (whose number is
// `owner_number`) tail-call other functions. At such a jump, everything but the call's result is
// known. Returns null if there is no such jump.
Result<std::unique_ptr<Program>> compile_tail_calls(const Program &owner, uint32_t owner_number,
                                                    const BuildOptions &options, uint32_t number);
// Fills the program's `parts`, `entry_parts` and `exits`. `used` (in and out): the entries of the
// tables.
void divide(Program &program, const BuildOptions &options, SiteTableSizes &used);

}  // namespace uscope::probe
