// Rules for the frames of HotSpot. A compiled method begins in one of two ways, after which its
// frame is complete:
//
//     push %rbp; [mov %rsp,%rbp;] sub $16,%rsp        C1
//     sub $24,%rsp; mov %rbp,16(%rsp)                 C2
//
// Before these instructions, a method may check the class of the receiver, and that the stack has
// room. At the end of a method, rule_before_return() (unwind/leaf_rule.h) finds the rule. A frame
// of HotSpot's interpreter contains:
//
//     rbp + 8   return address        rbp - 24   Method
//     rbp       the caller's rbp      rbp - 64   position in the bytecodes
//     rbp - 8   the caller's rsp, which is not rbp + 16 if arguments had to be laid out anew
#include "unwind/jit_rule.h"

#include "unwind/leaf_rule.h"
#include "unwind/rule.h"

namespace uscope::unwind {
namespace {

using Blob = lang::HotspotCode::Blob;

unwind_rule interpreter_rule()
{
    unwind_rule rule = {};
    rule.kind = UNWIND_BY_FRAME;
    rule.cfa_offset = -word;
    rule.return_offset = word;
    rule.fp = UNWIND_AT_FP;
    rule.jit = UNWIND_JIT_FRAME;
    return rule;
}

// The rule for a thread that has not completed its frame yet.
std::optional<unwind_rule> prologue_rule(const Blob &blob, Bytes code, uint64_t at)
{
    constexpr std::string_view push("\x55"), sub8("\x48\x83\xec"), sub32("\x48\x81\xec");
    std::string_view text = code.text();
    auto begins = [&](size_t from, std::string_view with) {
        return from <= text.size() && text.substr(from).starts_with(with);
    };
    auto is_sub = [&](size_t from) { return begins(from, sub8) || begins(from, sub32); };
    auto is_move = [&](size_t from) {
        return begins(from, "\x48\x8b\xec") || begins(from, "\x48\x89\xe5");
    };
    for (size_t first = 0; first < text.size(); first++) {
        bool pushes = begins(first, push) && (is_sub(first + 1) || is_move(first + 1));
        if (!pushes && !is_sub(first))
            continue;
        if (at <= first)
            return rule_by_sp(word);
        if (!pushes)  // the next instruction saves rbp
            return begins(at, "\x48\x89\x6c\x24") || begins(at, "\x48\x89\xac\x24")
                       ? std::optional(rule_by_sp(int64_t(blob.frame_bytes)))
                       : std::nullopt;
        return at == first + 1 || (at == first + 4 && is_move(first + 1))
                   ? std::optional(rule_by_sp(2 * word, -2 * word))
                   : std::nullopt;
    }
    return std::nullopt;
}

std::optional<unwind_rule> rule_of_exact(const Blob &blob, Bytes code, Bytes next, uint64_t pc)
{
    uint64_t at = pc - blob.code_begin;
    // The code in these blobs looks up a method and jumps to it; it has no frame.
    if (blob.name == "vtable chunks")
        return rule_by_sp(word);
    if (at < blob.complete_at)
        if (auto rule = prologue_rule(blob, code, at))
            return rule;
    // Stubs keep frame pointers. This one has not set its own yet.
    if (next.text().starts_with("\x55\x48\x8b\xec"))
        return rule_by_sp(word);
    if (next.text().starts_with("\x48\x8b\xec"))
        return rule_by_sp(2 * word, -2 * word);
    return rule_before_return(next);
}

}  // namespace

std::optional<unwind_rule> jit_rule(const Blob &blob, Bytes code, Bytes next, uint64_t pc,
                                    bool is_exact)
{
    if (blob.kind == Blob::Kind::Interpreter)
        return interpreter_rule();
    if (is_exact)
        if (auto rule = rule_of_exact(blob, code, next, pc))
            return rule;
    if (!blob.frame_bytes)
        return std::nullopt;
    return rule_by_sp(int64_t(blob.frame_bytes), -2 * word);
}

// call rel32; call *%reg; call *disp8(%reg); call *disp32(%reg), *disp32(%rip);
// call *disp(%reg,%reg,scale)
bool may_follow_call(Bytes before)
{
    auto byte = [&](uint64_t from_end) -> unsigned {
        return from_end <= before.size()
                   ? before.read<uint8_t>(before.size() - from_end).value_or(0)
                   : 0;
    };
    auto is_form = [&](uint64_t from_end, unsigned mode) {
        constexpr unsigned operation = 0xf8, call = 0x10;
        return byte(from_end) == 0xff && (byte(from_end - 1) & operation) == (mode | call);
    };
    // The instruction is one byte longer if the address has two registers, or is relative to rsp.
    auto is_longer_form = [&](uint64_t from_end, unsigned mode) {
        constexpr unsigned field = 7, sib = 4;
        return is_form(from_end, mode) && (byte(from_end - 1) & field) == sib;
    };
    return byte(5) == 0xe8 || is_form(2, 0xc0) || is_form(2, 0) || is_form(3, 0x40) ||
           is_form(6, 0x80) || is_form(6, 0) || is_longer_form(3, 0) || is_longer_form(4, 0x40) ||
           is_longer_form(7, 0x80);
}

// The JVM replaces only methods; rules for other code are always valid.
bool tie_to_code(unwind_rule &rule, const Blob &blob, uint64_t pc)
{
    constexpr uint64_t number_bytes = sizeof(uint32_t);
    if (blob.kind != Blob::Kind::Method)
        return true;
    uint64_t before = pc / number_bytes - blob.compile_id_at / number_bytes;
    rule.code_before = uint16_t(before);
    rule.code_number = uint16_t(blob.compile_id);
    return before == rule.code_before && before != 0 && blob.compile_id_at % number_bytes == 0;
}

}  // namespace uscope::unwind
