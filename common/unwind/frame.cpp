// Computes the registers of a frame's caller.
#include "unwind/frame.h"

#include "elf/frame_expression.h"
#include "elf/frames.h"

namespace uscope::unwind {

using Kind = elf::SavedRegister::Kind;

std::optional<uint64_t> Frame::expression(Bytes expression, std::optional<uint64_t> first) const
{
    elf::ExpressionInput input;
    input.read_memory = [&](uint64_t address) { return copy.read(address); };
    input.read_register = [&](uint64_t reg) -> std::optional<uint64_t> {
        if (reg == machine.word_count && machine.link == elf::no_register)
            return pc;
        return reg < registers.size() ? registers[reg] : std::nullopt;
    };
    return elf::evaluate(expression, first, input);
}

std::optional<uint64_t> Frame::caller_value(uint64_t reg, const elf::SavedRegister &saved,
                                            uint64_t cfa) const
{
    switch (saved.kind) {
    case Kind::Same:
        return registers[reg];
    case Kind::AtCfa:
        return copy.read(cfa + uint64_t(saved.value));
    case Kind::IsCfaPlus:
        return cfa + uint64_t(saved.value);
    case Kind::InRegister:
        return uint64_t(saved.value) < registers.size() ? registers[saved.value] : std::nullopt;
    case Kind::AtExpression: {
        auto address = expression(saved.expression, cfa);
        return address ? copy.read(*address) : std::nullopt;
    }
    case Kind::IsExpression:
        return expression(saved.expression, cfa);
    default:
        return std::nullopt;
    }
}

bool Frame::return_by(const elf::UnwindRow &row)
{
    const elf::FrameRow &frame = row.row;
    std::optional<uint64_t> cfa;
    if (frame.cfa_register == elf::no_register)
        cfa = expression(frame.cfa_expression, std::nullopt);
    else if (frame.cfa_register < registers.size() && registers[frame.cfa_register])
        cfa = *registers[frame.cfa_register] + uint64_t(frame.cfa_offset);
    if (!cfa)
        return false;
    Registers caller;
    for (uint64_t reg = 0; reg < caller.size(); reg++)
        caller[reg] = caller_value(reg, frame.registers[reg], *cfa);
    auto address = caller[frame.return_register];
    if (frame.registers[machine.sp].kind == Kind::Same)
        caller[machine.sp] = *cfa;
    registers = caller;
    pc = address.value_or(0);
    return address.has_value();
}

bool Frame::return_by(const unwind_rule &rule)
{
    auto fp = registers[machine.fp], base = rule.kind & UNWIND_FROM_FP ? fp : sp();
    auto moved = [](uint64_t from, int64_t by) { return from + uint64_t(by); };
    auto cfa = base ? std::optional(moved(*base, rule.cfa_offset)) : std::nullopt;
    if (cfa && rule.kind & UNWIND_READ) {
        cfa = copy.read(*cfa);
        cfa = cfa ? std::optional(moved(*cfa, rule.end)) : std::nullopt;
    }
    if (!cfa)
        return false;
    bool is_saved = rule.fp != UNWIND_AS_BEFORE;
    auto address = copy.read(moved(rule.kind & UNWIND_NEAR_FP ? *fp : *cfa, rule.return_offset));
    uint64_t fp_from = rule.fp == UNWIND_AT_FP ? *fp : *cfa;
    registers = {};
    registers[machine.fp] = is_saved ? copy.read(moved(fp_from, rule.fp_offset)) : fp;
    registers[machine.sp] = cfa;
    pc = address.value_or(0);
    return address && (!is_saved || registers[machine.fp]);
}

// The kernel has saved all registers; on x86-64 the stack pointer points to `ucontext`.
bool Frame::return_from_signal()
{
    constexpr uint64_t r8 = 40;
    constexpr uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
    auto sp = registers[machine.sp];
    if (!sp || machine.link != elf::no_register)
        return false;
    registers = {};
    for (size_t i = 0; i < std::size(order); i++)
        registers[order[i]] = copy.read(*sp + r8 + i * word);
    auto address = copy.read(*sp + r8 + std::size(order) * word);
    pc = address.value_or(0);
    return address.has_value();
}

}  // namespace uscope::unwind
