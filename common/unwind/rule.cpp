// Converts rows of .eh_frame, and has the rules for frames without a row.
#include "unwind/rule.h"

#include <elf.h>

#include "elf/encoded_reader.h"
#include "elf/frame_expression.h"
#include "elf/frames.h"

namespace uscope::unwind {
namespace {

using elf::SavedRegister;
using Kind = SavedRegister::Kind;

// rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15
constexpr uint8_t x86_words[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0};
constexpr uint8_t arm_words[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr UnwindMachine x86_64 = {
    .sp = 7,
    .fp = 6,
    .words = x86_words,
    .word_count = std::size(x86_words),
    .pc_word = 16,
    .scratch = 0xf37,  // all but rbx, rbp, rsp, r12 to r15
    .link = elf::no_register,
    .signal = {.fp = 120, .sp = 160, .pc = 168},  // ucontext
};
constexpr UnwindMachine aarch64 = {
    .sp = 31,
    .fp = 29,
    .words = arm_words,
    .word_count = std::size(arm_words),
    .pc_word = 32,
    .scratch = 0x3ffff,
    .link = 30,
    .signal = {.fp = 544, .sp = 560, .pc = 568},  // siginfo, then ucontext
};

template <class T>
bool fits(int64_t value)
{
    return value == T(value);
}

struct FromRegister {
    int64_t offset;
    bool is_read = false;  // from memory
    uint64_t added = 0;    // to the value read
};
bool is_scratch(const UnwindMachine &machine, uint64_t reg)
{
    return reg < machine.word_count && machine.scratch >> reg & 1;
}

// Does the frame save registers that calls may change? A rule cannot express that. A caller's rule
// may need the values that these registers have at the event, and would use wrong ones. (Go marks
// every register as possibly lost, which does not count.)
bool restores_scratch(const elf::FrameRow &row, const UnwindMachine &machine)
{
    for (uint64_t reg = 0; reg < machine.word_count; reg++)
        if (Kind kind = row.registers[reg].kind;
            is_scratch(machine, reg) && kind != Kind::Same && kind != Kind::Undefined)
            return true;
    return false;
}

// Parses `register + offset`, or the word in memory at that address plus a constant, by which
// assembly code finds its caller's stack pointer.
std::optional<FromRegister> as_register_offset(Bytes expression, uint64_t reg)
{
    constexpr uint8_t breg0 = 0x70, deref = 0x06, plus_uconst = 0x23;
    elf::EncodedReader reader(expression, 0);
    if (reader.take<uint8_t>() != breg0 + reg)
        return std::nullopt;
    FromRegister found = {reader.sleb()};
    if (!reader.at_end()) {
        if (reader.take<uint8_t>() != deref)
            return std::nullopt;
        found.is_read = true;
        if (!reader.at_end() && reader.take<uint8_t>() == plus_uconst)
            found.added = reader.uleb();
    }
    return reader.failed() || !reader.at_end() ? std::nullopt : std::optional(found);
}

// Returns the value of an expression minus the stack pointer, if the expression depends only on the
// stack pointer and the code address, as in PLTs.
std::optional<int64_t> as_sp_offset(Bytes expression, const UnwindMachine &machine, uint64_t pc,
                                    uint64_t return_register)
{
    auto at = [&](uint64_t sp) {
        elf::ExpressionInput input;
        input.read_memory = [](uint64_t) { return std::nullopt; };
        input.read_register = [&, sp](uint64_t reg) -> std::optional<uint64_t> {
            if (reg == machine.sp)
                return sp;
            return reg == return_register ? std::optional(pc) : std::nullopt;
        };
        return elf::evaluate(expression, std::nullopt, input);
    };
    constexpr uint64_t other = 1 << 20;
    auto offset = at(0), moved = at(other);
    if (!offset || !moved || *moved - other != *offset)
        return std::nullopt;
    return int64_t(*offset);
}

// CFA = expression
bool set_computed_cfa(unwind_rule &rule, const elf::FrameRow &row, const UnwindMachine &machine,
                      uint64_t pc)
{
    FromRegister from = {};
    if (auto by_fp = as_register_offset(row.cfa_expression, machine.fp); by_fp && by_fp->is_read) {
        rule.kind = UNWIND_BY_FP_AT;
        from = *by_fp;
    } else if (auto by_sp = as_register_offset(row.cfa_expression, machine.sp);
               by_sp && by_sp->is_read) {
        rule.kind = UNWIND_BY_SP_AT;
        from = *by_sp;
    } else if (auto plain = as_sp_offset(row.cfa_expression, machine, pc, row.return_register)) {
        rule.kind = UNWIND_BY_SP;
        from.offset = *plain;
    } else {
        return false;
    }
    rule.cfa_offset = int32_t(from.offset);
    rule.end = uint8_t(from.added);
    return fits<int32_t>(from.offset) && from.added == rule.end;
}

bool set_cfa(unwind_rule &rule, const elf::FrameRow &row, const UnwindMachine &machine, uint64_t pc)
{
    if (row.cfa_register == elf::no_register)
        return set_computed_cfa(rule, row, machine, pc);
    if (row.cfa_register == machine.sp) {
        rule.kind = UNWIND_BY_SP;
    } else if (row.cfa_register == machine.fp) {
        rule.kind = UNWIND_BY_FP;
    } else if (is_scratch(machine, row.cfa_register)) {
        rule.kind = UNWIND_BY_REGISTER;
        rule.end = machine.words[row.cfa_register];
    } else {
        return false;
    }
    rule.cfa_offset = int32_t(row.cfa_offset);
    return fits<int32_t>(row.cfa_offset);
}

bool set_fp(unwind_rule &rule, const SavedRegister &saved, const UnwindMachine &machine)
{
    int64_t offset = saved.value;
    switch (saved.kind) {
    case Kind::Same:
    case Kind::Undefined:
        rule.fp = UNWIND_AS_BEFORE;
        return true;
    case Kind::AtCfa:
        rule.fp = UNWIND_AT_CFA;
        break;
    case Kind::AtExpression: {
        auto found = as_register_offset(saved.expression, machine.fp);
        if (!found || found->is_read || !(rule.kind & UNWIND_FROM_FP))
            return false;
        rule.fp = UNWIND_AT_FP;
        offset = found->offset;
        break;
    }
    default:
        return false;
    }
    rule.fp_offset = int16_t(offset);
    return fits<int16_t>(offset);
}

bool set_return(unwind_rule &rule, const SavedRegister &saved)
{
    rule.return_offset = int16_t(saved.value);
    return saved.kind == Kind::AtCfa && fits<int16_t>(saved.value);
}

}  // namespace

const UnwindMachine *unwind_machine(uint16_t elf_machine)
{
    if (elf_machine == EM_X86_64)
        return &x86_64;
    return elf_machine == EM_AARCH64 ? &aarch64 : nullptr;
}

const UnwindMachine &own_machine()
{
#if defined(__x86_64__)
    return x86_64;
#else
    return aarch64;
#endif
}

unwind_rule end_rule(unwind_end end)
{
    unwind_rule rule = {};
    rule.kind = UNWIND_ENDS;
    rule.end = end;
    return rule;
}

unwind_rule signal_rule(const UnwindMachine &machine)
{
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_SIGNAL;
    rule.fp = UNWIND_AT_SP;
    rule.fp_offset = machine.signal.fp;
    rule.cfa_offset = machine.signal.sp;
    rule.return_offset = machine.signal.pc;
    return rule;
}

unwind_rule rule_by_sp(int64_t bytes, int64_t fp_at)
{
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_SP;
    rule.cfa_offset = int32_t(bytes);
    rule.return_offset = -word;
    rule.fp = fp_at ? UNWIND_AT_CFA : UNWIND_AS_BEFORE;
    rule.fp_offset = int16_t(fp_at);
    return rule;
}

unwind_rule frame_pointer_rule()
{
    unwind_rule rule = rule_by_sp(2 * word, -2 * word);
    rule.kind = UNWIND_BY_FP;
    return rule;
}

unwind_rule rule_of(const elf::UnwindRow &row, const UnwindMachine &machine, uint64_t pc)
{
    unwind_rule rule = {};
    const elf::FrameRow &frame = row.row;
    if (frame.return_address().kind == Kind::Undefined)
        return end_rule(UNWIND_WHOLE);
    // OCaml 5 marks its switches of stacks like a signal's frame, but their return address is
    // relative to the CFA, unlike in the frames that the kernel makes for signals.
    if (row.is_signal && frame.return_address().kind != Kind::AtCfa)
        return signal_rule(machine);
    bool is_simple = !restores_scratch(frame, machine) && set_cfa(rule, frame, machine, pc) &&
                     set_fp(rule, frame.registers[machine.fp], machine) &&
                     set_return(rule, frame.return_address());
    if (!is_simple) {
        rule = {};
        rule.kind = UNWIND_BY_COPY;
    }
    return rule;
}

}  // namespace uscope::unwind
