// Joins a generated main (expr/compile.h) with the C functions of an object, and loads the program
// that results.
//
// An object contains *templates*: programs in SEC("template") that are never attached. Each is
// called FUNCTION_template and calls the C function of that name, which generated programs call;
// uflow_enter_and_uflow_emit_template calls two functions, in this order. When libbpf is about to
// load a template, its instructions are `[template's own | function | function …]`, with all maps
// and constants relocated. We keep these instructions instead of loading them. The constructor of
// Templates has remembered the length of the first part. So load() can replace that part by a
// generated main, and adjust the offsets of the calls. The kernel refuses unreachable instructions:
// a main that calls no function gets none of them, and any other must call all functions that its
// template calls. The functions keep their types (BTF), which tell the verifier that they are
// global: it then checks each once, not at each call. Loading takes about 0.1 ms.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "expr/map_slot.h"

struct bpf_insn;
struct bpf_object;
struct bpf_program;

namespace uscope::expr {
struct Program;
}

namespace uscope::attach {

class Templates {
  public:
    // Call it before the object is loaded. Finds the object's templates by their names.
    explicit Templates(const bpf_object *object);

    // Optional, before the object is loaded: leaves out all templates but those of these functions.
    // Errors: a function has no template.
    Result<> load_only(const std::set<std::string> &functions) const;

    struct LoadOptions {
        std::string name;       // for the kernel's program lists, cut to 15 characters
        std::string label;      // for --stats (attach/stats.h)
        uint32_t program_type;  // BPF_PROG_TYPE_KPROBE, …_TRACEPOINT
        uint32_t attach_type = 0;
        bool sleepable = false;
        uint64_t site = 0;  // replaces SITE_PLACEHOLDER (bpf/lib/site.h)
    };
    // Call it after the object is loaded. Errors: a function that the main calls has no template;
    // else the verifier's last message (USCOPE_VERIFIER_LOG=1 prints the whole log).
    Result<Fd> load(const expr::Program &main, const std::map<expr::MapSlot, int> &maps,
                    const LoadOptions &options) const;

  private:
    struct Template {
        bpf_program *program;
        size_t own_length;                   // instructions
        std::vector<std::string> functions;  // in the order of its calls

        Result<> link(const expr::Program &main, std::vector<bpf_insn> &insns) const;
    };
    Result<const Template *> find(const std::string &function) const;

    std::vector<Template> templates_;
};

}  // namespace uscope::attach
