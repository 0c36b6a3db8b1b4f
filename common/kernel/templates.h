// Links a generated main (the part of a BPF program that expr/compile.h generates for a probe) with
// C functions from a BPF object file, and loads the resulting program.
//
// An object contains *templates*: programs in SEC("template") that are never attached. A template
// is named after the C function that it calls: FUNCTION_template only calls FUNCTION, one of the
// functions that generated mains call; uflow_enter_and_uflow_emit_template calls two functions, in
// this order. When libbpf is about to load a template, its instructions are `[template's own |
// function | function …]`, and libbpf has already relocated all maps and constants in them. The
// tool keeps these instructions instead of loading them. The constructor of Templates has
// remembered how many instructions are the template's own. So load() can replace those by a
// generated main, and adjust the offsets of the main's calls. Because the kernel refuses
// unreachable instructions, a main without calls gets none of the functions, and any other main
// must call all functions that its template calls. The functions keep their type information (BTF),
// which tells the verifier that they are global functions: it then checks each function once, not
// at each call. Loading takes about 0.1 ms.
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

namespace uscope::kernel {

class Templates {
  public:
    // Call it before the object is loaded. Finds the object's templates by their names.
    explicit Templates(const bpf_object *object);

    // Optional; call it before the object is loaded. Keeps only the templates of these functions.
    // Errors: a function has no template.
    Result<> load_only(const std::set<std::string> &functions) const;

    struct LoadOptions {
        std::string name;       // for the kernel's program lists, cut to 15 characters
        std::string label;      // for --stats (kernel/stats.h)
        uint32_t program_type;  // BPF_PROG_TYPE_KPROBE, …_TRACEPOINT
        uint32_t attach_type = 0;
        bool sleepable = false;
        uint64_t site = 0;  // the value that replaces SITE_PLACEHOLDER (bpf/lib/site.h)
    };
    // Links and loads a program; returns its descriptor. Call it after the object is loaded.
    // Errors: a function that the main calls has no template; or the kernel refuses the program:
    // then the text has the verifier's last message (USCOPE_VERIFIER_LOG=1 prints the whole log).
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

}  // namespace uscope::kernel
