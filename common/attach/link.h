// Puts a generated main (expr/compile.h) and the C functions of a loaded object together, and loads
// the result.
//
// How it works. The tool's object holds a *template* program (SEC("template")), never attached, whose C text
// only calls the functions that generated programs need. When libbpf is about to load it, the
// template's instructions are `[template's own | function | function …]` with every map and
// constant relocated. They are kept, and not loaded. The first part's length was known before; so a program is made by
// putting a generated main in its place and setting the distances of the calls. The kernel refuses
// instructions that nothing reaches: a main that calls no function gets none, any other must call
// what its template calls. The functions keep their types (BTF), by which the verifier knows global functions: it looks
// at these once, not at each call. Loading takes about 0.1 ms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "expr/map_slot.h"

struct bpf_program;

namespace uscope::expr {
struct Program;
}

namespace uscope::attach {

class Template {
  public:
    // Before the object is loaded: remembers the template's own length. `functions`: what it calls,
    // in the order of its calls.
    Template(const bpf_program *program, std::vector<std::string> functions);

    struct LoadOptions {
        std::string name;       // for the kernel's lists, cut to 15 characters
        std::string label;      // for --stats (attach/stats.h)
        uint32_t program_type;  // BPF_PROG_TYPE_KPROBE, …_TRACEPOINT
        uint32_t attach_type = 0;
        bool sleepable = false;
        uint64_t site = 0;  // what takes the place of SITE_PLACEHOLDER (bpf/lib/site.h)
    };
    // After the object is loaded. Errors: what the verifier said last (all of it with
    // USCOPE_VERIFIER_LOG=1).
    Result<Fd> load(const expr::Program &main, const std::map<expr::MapSlot, int> &maps,
                    const LoadOptions &options) const;

  private:
    const bpf_program *program_;
    size_t own_length_;
    std::vector<std::string> functions_;
};

}  // namespace uscope::attach
