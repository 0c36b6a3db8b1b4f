// Joins a generated main (expr/compile.h) with the C functions of a loaded object, and loads the
// resulting program.
//
// The tool's object contains a *template* program (SEC("template")). It is never attached; its C
// code only calls the functions that generated programs need. When libbpf is about to load it, the
// template's instructions are `[template's own | function | function …]`, with all maps and
// constants relocated. We keep these instructions instead of loading them. The constructor of
// Template has remembered the length of the first part. So load() can replace that part by a
// generated main, and adjust the offsets of the calls. The kernel refuses unreachable instructions:
// a main that calls no function gets none of them, and any other must call all functions that its
// template calls. The functions keep their types (BTF), which tell the verifier that they are
// global: it then checks each once, not at each call. Loading takes about 0.1 ms.
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
    // Call it before the object is loaded: it remembers the length of the template's own part.
    // `functions`: the functions that the template calls, in the order of its calls.
    Template(const bpf_program *program, std::vector<std::string> functions);

    struct LoadOptions {
        std::string name;       // for the kernel's program lists, cut to 15 characters
        std::string label;      // for --stats (attach/stats.h)
        uint32_t program_type;  // BPF_PROG_TYPE_KPROBE, …_TRACEPOINT
        uint32_t attach_type = 0;
        bool sleepable = false;
        uint64_t site = 0;  // replaces SITE_PLACEHOLDER (bpf/lib/site.h)
    };
    // Call it after the object is loaded. Errors: the verifier's last message
    // (USCOPE_VERIFIER_LOG=1 prints the whole log).
    Result<Fd> load(const expr::Program &main, const std::map<expr::MapSlot, int> &maps,
                    const LoadOptions &options) const;

  private:
    const bpf_program *program_;
    size_t own_length_;
    std::vector<std::string> functions_;
};

}  // namespace uscope::attach
