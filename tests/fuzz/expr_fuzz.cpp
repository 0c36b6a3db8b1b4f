// Any text as an expression is either refused, with the error's column within the text, or becomes
// a BPF program whose jumps stay within the program.
#include "../support/expr_scope.h"
#include "expr/compile.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "require.h"

using namespace uscope;
using namespace uscope::expr;

namespace {

void check_program(const Program &program)
{
    int64_t count = program.insns.size();
    for (int64_t at = 0; at < count; at++) {
        const bpf_insn &insn = program.insns[at];
        if (insn.code == (BPF_LD | BPF_DW | BPF_IMM)) {
            at++;
            continue;
        }
        uint8_t op = BPF_OP(insn.code);
        bool jumps = BPF_CLASS(insn.code) == BPF_JMP && op != BPF_CALL && op != BPF_EXIT;
        require(!jumps || (at + 1 + insn.off >= 0 && at + 1 + insn.off < count));
        bool divides = BPF_CLASS(insn.code) == BPF_ALU64 && BPF_SRC(insn.code) == BPF_K &&
                       (op == BPF_DIV || op == BPF_MOD);
        require(!divides || insn.imm != 0);
        bool stacks = BPF_CLASS(insn.code) == BPF_STX && insn.dst_reg == BPF_REG_10;
        require(!stacks || (insn.off < 0 && insn.off >= -512));
    }
    require(!listing(program).empty());
}

void compile_with(const Scope &scope, std::string_view text, const Node &node)
{
    for (ValueForm wanted :
         {ValueForm::Natural, ValueForm::Integer, ValueForm::Float, ValueForm::String}) {
        ProgramRequest request;
        request.scope = &scope;
        request.source = text;
        request.outputs = {{&node, wanted}};
        if (wanted == ValueForm::Integer)
            request.predicate = &node;
        request.string_bytes = 1000;
        request.sleepable = wanted == ValueForm::Natural;
        auto program = compile(request);
        if (program)
            check_program(*program);
        else
            require(program.error().column <= text.size() && !program.error().text.empty());
        if (auto entry = compile_entry(request); entry && *entry)
            check_program(**entry);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    auto nodes = parse_list(text);
    if (!nodes) {
        require(nodes.error().column <= text.size() && nodes.error().source == text);
        return 0;
    }
    Scope at_entry = test::test_scope(), at_return = test::test_scope();
    at_return.entry = &at_entry;
    for (const NodeRef &node : *nodes) {
        compile_with(at_return, text, *node);
        compile_with(test::tracepoint_scope(), text, *node);
    }
    return 0;
}
