// Code without tables. Much of it keeps frame pointers: what compilers of runtimes make (node, Java with
// PreserveFramePointer), Go's, assembly. A frame pointer is taken for one when it looks like one: it is
// above the stack pointer, and what it leads to is code. Assembly of the C library that signals return to
// is known by its instructions, as debuggers do, and so is code made at run time that is about to return
// (stack/epilogue.h). Where nothing helps, the stack ends.
#include "stack/unwind.h"

#include "base/format.h"
#include "elf/frame_expression.h"

namespace uscope::stack {
namespace {

using elf::SavedRegister;
using Kind = SavedRegister::Kind;

constexpr uint64_t word = sizeof(uint64_t);

// mov $15,%rax; syscall: rt_sigreturn(), as musl and Go have it, without any table.
bool is_signal_return(const CodePlace &place)
{
    constexpr std::string_view x86_code("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
    auto code = place.image ? place.image->bytes_at(place.vaddr, x86_code.size()) : std::nullopt;
    return code && place.image->machine() == EM_X86_64 && code->text() == x86_code;
}

}  // namespace

std::string describe(unwind_end end)
{
    switch (end) {
    case UNWIND_WHOLE:
        return "";
    case UNWIND_DEEP:
        return fmt::format("deeper than {} frames", int(UNWIND_FRAMES));
    case UNWIND_NO_TABLE:
        return "no unwinding table";
    case UNWIND_SHORT:
        return "copied too short";
    case UNWIND_PROBED:
        return "a return probe";
    default:
        return "unreadable stack";
    }
}

void Unwinding::walk(uint64_t pc, bool is_exact, const Registers &registers, UserStack &stack)
{
    pc_ = pc;
    is_exact_ = is_exact;
    registers_ = registers;
    stack.end = UNWIND_WHOLE;
    while (step(stack)) {
        if (stack.addresses.size() == UNWIND_FRAMES) {
            stack.end = UNWIND_DEEP;
            break;
        }
        stack.addresses.push_back(pc_);
    }
}

// What to do in code that no table describes.
unwind_rule Unwinding::guess(const CodePlace &place) const
{
    if (place.is_return_probe)
        return end_rule(UNWIND_PROBED);
    if (is_signal_return(place))
        return signal_rule(machine_);
    Bytes made(place.made.data(), place.made_bytes);
    if (auto rule = epilogue_rule(made.from(is_exact_ ? 0 : 1), is_exact_))
        return *rule;
    auto fp = registers_[machine_.fp], sp = registers_[machine_.sp];
    auto caller = fp ? copy_.read(*fp + word) : std::nullopt;
    bool is_frame =
        caller && sp && *fp >= *sp && *fp % word == 0 && (*caller == 0 || find_(*caller - 1));
    return is_frame ? frame_pointer_rule() : end_rule(UNWIND_NO_TABLE);
}

// To the caller; false: `stack` ends here.
bool Unwinding::step(UserStack &stack)
{
    // A call may be a function's last instruction.
    uint64_t before = is_exact_ ? 0 : 1;
    auto place = find_(pc_ - before);
    if (!place) {
        stack.end = UNWIND_UNREADABLE;
        return false;
    }
    auto row = place->frames ? place->frames->unwind_row(place->vaddr) : std::nullopt;
    place->vaddr += before;
    unwind_rule rule = row ? rule_of(*row, machine_, pc_) : guess(*place);
    learn_(pc_, is_exact_, rule);
    if (rule.kind == UNWIND_ENDS) {
        stack.end = unwind_end(rule.end);
        return false;
    }
    bool is_signal = rule.kind == UNWIND_BY_SIGNAL;
    bool is_done = row ? apply(*row) : is_signal ? apply_signal() : apply(rule);
    if (!is_done)
        stack.end = copy_.was_short ? UNWIND_SHORT : UNWIND_UNREADABLE;
    is_exact_ = is_signal;
    pc_ &= UNWIND_ADDRESS;
    return is_done && pc_;
}

std::optional<uint64_t> Unwinding::expression(Bytes expression, std::optional<uint64_t> first) const
{
    elf::ExpressionInput input;
    input.read_memory = [&](uint64_t address) { return copy_.read(address); };
    input.read_register = [&](uint64_t reg) -> std::optional<uint64_t> {
        if (reg == machine_.word_count && machine_.link == elf::no_register)
            return pc_;
        return reg < registers_.size() ? registers_[reg] : std::nullopt;
    };
    return elf::evaluate(expression, first, input);
}

std::optional<uint64_t> Unwinding::caller_value(uint64_t reg, const SavedRegister &saved,
                                                uint64_t cfa) const
{
    switch (saved.kind) {
    case Kind::Same:
        return registers_[reg];
    case Kind::AtCfa:
        return copy_.read(cfa + uint64_t(saved.value));
    case Kind::IsCfaPlus:
        return cfa + uint64_t(saved.value);
    case Kind::InRegister:
        return uint64_t(saved.value) < registers_.size() ? registers_[saved.value] : std::nullopt;
    case Kind::AtExpression: {
        auto address = expression(saved.expression, cfa);
        return address ? copy_.read(*address) : std::nullopt;
    }
    case Kind::IsExpression:
        return expression(saved.expression, cfa);
    default:
        return std::nullopt;
    }
}

bool Unwinding::apply(const elf::UnwindRow &row)
{
    const elf::FrameRow &frame = row.row;
    std::optional<uint64_t> cfa;
    if (frame.cfa_register == elf::no_register)
        cfa = expression(frame.cfa_expression, std::nullopt);
    else if (frame.cfa_register < registers_.size() && registers_[frame.cfa_register])
        cfa = *registers_[frame.cfa_register] + uint64_t(frame.cfa_offset);
    if (!cfa)
        return false;
    Registers caller;
    for (uint64_t reg = 0; reg < caller.size(); reg++)
        caller[reg] = caller_value(reg, frame.registers[reg], *cfa);
    auto pc = caller[frame.return_register];
    if (frame.registers[machine_.sp].kind == Kind::Same)
        caller[machine_.sp] = *cfa;
    registers_ = caller;
    pc_ = pc.value_or(0);
    return pc.has_value();
}

bool Unwinding::apply(const unwind_rule &rule)
{
    auto fp = registers_[machine_.fp],
         base = rule.kind == UNWIND_BY_SP ? registers_[machine_.sp] : fp;
    if (!base)
        return false;
    uint64_t cfa = *base + uint64_t(int64_t(rule.cfa_offset));
    bool is_saved = rule.fp == UNWIND_AT_CFA;
    auto pc = copy_.read(cfa + uint64_t(int64_t(rule.return_offset)));
    registers_ = {};
    registers_[machine_.fp] = is_saved ? copy_.read(cfa + uint64_t(int64_t(rule.fp_offset))) : fp;
    registers_[machine_.sp] = cfa;
    pc_ = pc.value_or(0);
    return pc && (!is_saved || registers_[machine_.fp]);
}

// The kernel has saved all registers; on x86-64 `ucontext` lies where the stack pointer is.
bool Unwinding::apply_signal()
{
    constexpr uint64_t r8 = 40;
    constexpr uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
    auto sp = registers_[machine_.sp];
    if (!sp || machine_.link != elf::no_register)
        return false;
    registers_ = {};
    for (size_t i = 0; i < std::size(order); i++)
        registers_[order[i]] = copy_.read(*sp + r8 + i * word);
    auto pc = copy_.read(*sp + r8 + std::size(order) * word);
    pc_ = pc.value_or(0);
    return pc.has_value();
}

}  // namespace uscope::stack
