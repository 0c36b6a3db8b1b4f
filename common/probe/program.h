// One generated program of a probe: for the sites that share where their arguments are.
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
#include "resolve/resolve.h"

namespace uscope::resolve {
class Names;
}

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

// The program for these sites, known by `number` (expr::ProgramRequest::probe), not yet divided into
// parts. It refers to `parsed`.
Result<std::unique_ptr<Program>> compile(const ProbeRequest &parsed, resolve::Group group,
                                         const BuildOptions &options, uint32_t number);
// Compiles its entry once more, to save values of at least so many bytes.
Result<> recompile_entry(Program &program, const BuildOptions &options, uint32_t number,
                         uint32_t least_call_bytes);
// The program for the jumps by which the functions of `owner` (numbered `owner_number`) are left, where all is known of the
// call but its result. Nothing: there is no such jump.
Result<std::unique_ptr<Program>> compile_tail_calls(const Program &owner, uint32_t owner_number,
                                                    const BuildOptions &options, uint32_t number);
// What the kernel attaches it to: fills the program's parts. `site_entries`: of the table of sites, in and out.
void divide(Program &program, const BuildOptions &options, uint32_t &site_entries);

}  // namespace uscope::probe
