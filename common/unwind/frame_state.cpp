// Interprets the instructions that change the stack pointer or the frame pointer.
#include "unwind/frame_state.h"

#include <algorithm>
#include <cstdlib>

#include "unwind/rule.h"

namespace uscope::unwind {
namespace {

using insn::Parts;

bool is_test(const Parts &parts)
{
    return parts.opcode == 0xf7 && parts.reg() < 2;
}

// `value` may be null: not a register that is followed.
void forget(Value *value)
{
    if (value)
        *value = {};
}

}  // namespace

bool FrameState::execute(Bytes code, const Parts &parts)
{
    constexpr int64_t max_moved = 1 << 24;
    if (parts.is_legacy(0))
        change(code, parts);
    return std::abs(sp.offset) <= max_moved && std::abs(fp.offset) <= max_moved;
}

std::optional<unwind_rule> FrameState::rule_of_return() const
{
    constexpr int64_t max_offset = 1 << 14;  // the limit of a rule's field
    if (!sp.is_address())
        return std::nullopt;
    unwind_rule rule = rule_by_sp(sp.offset + word);
    rule.kind = sp.from == From::Sp ? UNWIND_BY_SP : UNWIND_BY_FP;
    if (fp == Value{From::Fp})
        return rule;
    int64_t offset = fp.offset - rule.cfa_offset;
    if (fp.from != sp.content().from || std::abs(offset) > max_offset)
        return std::nullopt;
    rule.fp = UNWIND_AT_CFA;
    rule.fp_offset = int16_t(offset);
    return rule;
}

std::optional<unwind_rule> FrameState::rule_since_entry() const
{
    constexpr Value below_return = {From::Sp, -word};
    bool is_saved = !saved_at.empty() && saved_at.front().from == From::Sp;
    if (is_saved && saved_at.front() == below_return && fp == below_return)
        return frame_pointer_rule();
    bool is_kept = fp == Value{From::Fp};
    if (sp.from != From::Sp || sp.offset > 0 || !(is_kept || is_saved))
        return std::nullopt;
    unwind_rule rule = rule_by_sp(word - sp.offset);
    if (!is_kept) {
        rule.fp = UNWIND_AT_CFA;
        rule.fp_offset = int16_t(saved_at.front().offset - word);
    }
    return rule;
}

void FrameState::push(bool is_fp)
{
    sp = sp.moved(-word);
    if (is_fp)
        save_at(sp);
}

// Remembers where the initial value of the frame pointer was saved. Other values do not matter.
void FrameState::save_at(Value address)
{
    if (fp == Value{From::Fp} && address.is_address())
        saved_at.push_back(address);
}

// Returns the content of the word at this address. Below the initial stack pointer, only the words
// with the saved frame pointer are known.
Value FrameState::read(Value at) const
{
    if (std::find(saved_at.begin(), saved_at.end(), at) != saved_at.end())
        return {From::Fp};
    return at.from == From::Sp && at.offset < 0 ? Value() : at.content();
}

// The address of a memory operand: the stack pointer or the frame pointer plus a constant.
Value FrameState::operand(Bytes code, const Parts &parts) const
{
    unsigned mode = parts.modrm >> 6, base = parts.modrm & 7;
    constexpr uint8_t only_rsp = 0x24;
    uint64_t at = parts.modrm_at + 1u;
    if (mode == 3 || parts.rex & 3 || parts.segment_prefix || parts.thread_prefix ||
        parts.address_prefix)
        return {};
    if (base == rsp && code.read<uint8_t>(at++) != only_rsp)
        return {};
    if (base != rsp && (base != rbp || mode == 0))
        return {};
    int64_t by = mode == 0   ? 0
                 : mode == 1 ? code.read<int8_t>(at).value_or(0)
                             : code.read<int32_t>(at).value_or(0);
    return (base == rsp ? sp : fp).moved(by);
}

// The register of the operand, or of the ModRM byte's reg field; null: neither rsp nor rbp.
Value *FrameState::tracked_operand(const Parts &parts)
{
    return parts.modrm >> 6 == 3 ? tracked(parts.modrm & 7, parts.rex & 1) : nullptr;
}

Value *FrameState::tracked_register(const Parts &parts)
{
    return tracked(parts.reg(), parts.rex & 4);
}

Value *FrameState::tracked(unsigned number, bool is_extended)
{
    if (is_extended || (number != rsp && number != rbp))
        return nullptr;
    return number == rsp ? &sp : &fp;
}

void FrameState::move(Bytes code, const Parts &parts, bool is_to_operand)
{
    Value *by_operand = tracked_operand(parts), *by_register = tracked_register(parts);
    Value *to = is_to_operand ? by_operand : by_register;
    Value *from = is_to_operand ? by_register : by_operand;
    bool is_memory = parts.modrm >> 6 != 3, is_wide = parts.rex & 8;
    if (is_to_operand && is_memory) {
        if (by_register == &fp && is_wide)
            save_at(operand(code, parts));
    } else if (to) {
        *to = !is_wide ? Value() : is_memory ? read(operand(code, parts)) : from ? *from : Value();
    }
}

void FrameState::add_constant(Bytes code, const Parts &parts)
{
    enum { Add = 0, Sub = 5, Cmp = 7 };
    Value *to = tracked_operand(parts);
    int64_t by = parts.opcode == 0x83 ? code.read<int8_t>(parts.length - 1u).value_or(0)
                                      : code.read<int32_t>(parts.length - 4u).value_or(0);
    if (!to || parts.reg() == Cmp)
        return;
    bool is_sum = parts.rex & 8 && (parts.reg() == Add || parts.reg() == Sub);
    *to = is_sum ? to->moved(parts.reg() == Add ? by : -by) : Value();
}

// Arithmetic with another register or with memory.
void FrameState::compute(const Parts &parts)
{
    constexpr uint8_t to_operand = 1, to_register = 3;
    forget((parts.opcode & 7) == to_operand    ? tracked_operand(parts)
           : (parts.opcode & 7) == to_register ? tracked_register(parts)
                                               : nullptr);
}

void FrameState::change(Bytes code, const Parts &parts)
{
    bool is_extended = parts.rex & 1;
    switch (parts.opcode) {
    case 0x00 ... 0x37:
        return compute(parts);
    case 0x50 ... 0x57:  // push %reg
        return push(tracked(parts.opcode & 7, is_extended) == &fp);
    case 0x68:
    case 0x6a:
    case 0x9c:  // pushf
        return push(false);
    case 0x58 ... 0x5f: {  // pop %reg
        Value *to = tracked(parts.opcode & 7, is_extended);
        if (to)
            *to = to == &fp ? read(sp) : Value();
        sp = sp.moved(word);
        return;
    }
    case 0x8f:  // pop to memory
    case 0x9d:  // popf
        sp = sp.moved(word);
        return;
    case 0x81:
    case 0x83:
        return add_constant(code, parts);
    case 0x89:
    case 0x8b:
        return move(code, parts, parts.opcode == 0x89);
    case 0x8d:  // lea
        if (Value *to = tracked_register(parts))
            *to = parts.rex & 8 ? operand(code, parts) : Value();
        return;
    case 0xc9:  // leave
        sp = fp.moved(word);
        fp = read(fp);
        return;
    case 0xff:
        if (parts.reg() == 6)  // push
            return push(tracked_operand(parts) == &fp);
        [[fallthrough]];
    case 0xc7:
    case 0xd1:
    case 0xd3:
    case 0xc1:
    case 0xf7:  // the forms that write the operand
        return forget(parts.reg() < 4 && !is_test(parts) ? tracked_operand(parts) : nullptr);
    case 0x87:  // xchg
        forget(tracked_operand(parts));
        return forget(tracked_register(parts));
    case 0x90 ... 0x97:  // with %rax
    case 0xb8 ... 0xbf:
        return forget(tracked(parts.opcode & 7, is_extended));
    }
}

}  // namespace uscope::unwind
