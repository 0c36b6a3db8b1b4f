// Moves the probe on a function's entry to a later instruction.
//
// Hand-written and compiled vector code often starts with an instruction that cannot have a uprobe:
//
//     __strchr_evex:     62 e2 7d 28 7a ce    vpbroadcastb %esi,%ymm17
//                        89 f8                mov %edi,%eax             <- the probe goes here
//     __ieee754_pow_fma: c4 e1 f9 7e c0       vmovq %xmm0,%rax
//                        c4 e1 f9 7e ce       vmovq %xmm1,%rsi
//                        48 89 c2             mov %rax,%rdx             <- here
//
// The skipped instructions change vector registers, which probes cannot read anyway, and perhaps
// argument registers, which Entry reports. They do not change the stack pointer, the frame or
// memory.
//
// Many other functions start with instructions that the kernel has to single-step, shortly before
// one that it emulates:
//
//     free:              48 85 ff             test %rdi,%rdi
//                        0f 84 bf 00 00 00    je ...                    <- here
//
// A probe on this later instruction is as good as one on the entry if no branch, in the function or
// elsewhere in the file, leads there without passing the entry.
#include "insn/entry.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "insn/decode.h"
#include "insn/parts.h"
#include "insn/returned_value.h"

namespace uscope::insn {

namespace {

using Encoding = Parts::Encoding;

// Does the instruction write only vector registers, mask registers and flags?
bool writes_vectors(const Parts &p)
{
    if (p.encoding != Encoding::Vex && p.encoding != Encoding::Evex)
        return false;
    if (p.map == 2)  // broadcasts, permutations, shifts
        return (p.opcode & 0xf0) == 0x70;
    if (p.map != 1)
        return false;
    switch (p.opcode) {
    case 0x60:  // interleave
    case 0x61:
    case 0x62:
    case 0x6c:
    case 0x6d:
    case 0x6e:  // move to a vector register
    case 0x6f:
    case 0x70:  // shuffle
    case 0x74:  // compare
    case 0x75:
    case 0x76:
    case 0x77:  // vzeroupper
    case 0xc2:
    case 0xeb:  // or
    case 0xef:  // xor
        return true;
    case 0x7e:
        return p.vector_prefix == 2;  // vmovq to a vector register
    default:
        return false;
    }
}

// Is it a vmovd or vmovq from a vector register to %rax, %rcx, %rdx, %rsi or %rdi?
bool moves_from_vector(const Parts &p, Bytes code)
{
    constexpr unsigned rdx = 2, rsi = 6;
    unsigned to = p.modrm & 7;
    bool is_low = code.read<uint8_t>(0) == 0xc5 || code.read<uint8_t>(1).value_or(0) & 0x20;  // B
    return p.encoding == Encoding::Vex && p.map == 1 && p.opcode == 0x7e && p.vector_prefix == 1 &&
           p.modrm >> 6 == 3 && is_low && (to <= rdx || to >= rsi);
}

// Does the instruction only compute with registers and, if `passes_reads` is set, with memory that
// it reads? False if unknown.
bool only_computes(const Parts &p, bool passes_reads)
{
    constexpr unsigned cmp = 7, test = 0;
    bool may_read = is_register(p) || passes_reads;
    if (p.repeat_prefix || p.lock_prefix || p.address_prefix || p.segment_prefix || p.idle_rex)
        return false;
    if (p.is_legacy(1))  // movzx, movsx
        return may_read &&
               (p.opcode == 0xb6 || p.opcode == 0xb7 || p.opcode == 0xbe || p.opcode == 0xbf);
    if (!p.is_legacy(0))
        return false;
    switch (p.opcode) {
    case 0x05:  // add, or, and, sub, xor of %rax and a constant
    case 0x0d:
    case 0x25:
    case 0x2d:
    case 0x35:
    case 0x3c:  // cmp and test of %rax
    case 0x3d:
    case 0xa8:
    case 0xa9:
    case 0xb8 ... 0xbf:  // mov $imm
        return true;
    case 0x03:  // add, or, and, sub, xor
    case 0x0b:
    case 0x23:
    case 0x2b:
    case 0x33:
    case 0x38 ... 0x3b:  // cmp
    case 0x63:           // movslq
    case 0x84:           // test
    case 0x85:
    case 0x8b:  // mov
        return may_read;
    case 0x80:
        return may_read && p.reg() == cmp;
    case 0x81:
    case 0x83:
        return is_register(p) || (passes_reads && p.reg() == cmp);
    case 0xf6:
    case 0xf7:
        return may_read && p.reg() == test;
    case 0x8d:  // lea
        return !is_register(p);
    case 0x01:  // add, or, and, sub, xor
    case 0x09:
    case 0x21:
    case 0x29:
    case 0x31:
    case 0x89:  // mov
    case 0xc1:  // shifts and rotations
    case 0xd1:
        return is_register(p);
    case 0xc7:  // mov $imm
        return is_register(p) && p.reg() == 0;
    default:
        return false;
    }
}

// Returns true for an instruction that only computes, and notes in `entry` which arguments it
// changes. Returns false for all others.
bool pass_computation(const Parts &p, bool passes_reads, Entry &entry)
{
    constexpr unsigned pointers = 1 << 4 | 1 << 5;  // rsp and rbp: stack walks need them
    constexpr unsigned first = 1 << 7;              // rdi
    constexpr unsigned arguments = first | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 8 | 1 << 9;
    unsigned written = only_computes(p, passes_reads) ? written_registers(p) : pointers;
    if (written & pointers)
        return false;
    entry.keeps_arguments &= !(written & arguments);
    entry.keeps_first &= !(written & first);
    return true;
}

// Returns the first instruction of a function that can have a uprobe and for which is_wanted() is
// true. For each instruction before it, pass() decides whether the probe may move past it, and
// notes in the Entry which arguments change. Returns nullopt if the probe may not or need not move.
template <class Wanted, class Pass>
std::optional<Entry> next_entry(Bytes function, Wanted is_wanted, Pass pass)
{
    Entry entry = {0, true, true};
    while (true) {
        Bytes code = function.from(entry.offset);
        auto parts = take_apart(code);
        auto instruction = decode(code);
        if (!parts || !instruction)
            return std::nullopt;
        bool at_start = entry.offset == 0;
        if (refusal(*instruction, at_start) == Refusal::None && is_wanted(*instruction))
            return at_start ? std::nullopt : std::optional(entry);
        if (!pass(*parts, code, entry))
            return std::nullopt;
        entry.offset += parts->length;
    }
}

struct InRange {
    uint64_t first, last;
    bool has(uint64_t at) const { return at >= first && at <= last; }
};

// Is it a branch with a displacement of one byte: jcc, jmp, loop, jrcxz?
bool is_short_branch(const Parts &p)
{
    return p.is_legacy(0) &&
           ((p.opcode & 0xf0) == 0x70 || p.opcode == 0xeb || (p.opcode & 0xfc) == 0xe0);
}

bool branches_into(Bytes text, uint64_t at, const Parts &p, InRange range)
{
    uint64_t end = at + p.length;
    return is_short_branch(p) && range.has(end + text.read<int8_t>(end - 1).value_or(0));
}

constexpr uint64_t reach = 128;  // of a short branch, bytes

// Does a short branch in the code before the function lead into the range? The boundaries of the
// instructions there are unknown. But one of any `longest` consecutive bytes starts an instruction,
// so try all of these starts.
bool is_reached_from_before(Bytes text, uint64_t start, InRange range)
{
    for (uint64_t phase = 0; phase < longest; phase++) {
        uint64_t back = reach + 2 * longest - phase;
        for (uint64_t at = start > back ? start - back : 0; at < start;) {
            auto parts = take_apart(text.from(at));
            if (parts && branches_into(text, at, *parts, range))
                return true;
            at += parts ? parts->length : 1;
        }
    }
    return false;
}

// Does a short branch in the function, or in the code after it, lead into the range? Also returns
// true if the function has an indirect jump, which may lead there, or cannot be decoded.
bool is_reached_from_inside_or_after(Bytes text, uint64_t start, uint64_t size, InRange range)
{
    uint64_t end = start + size;
    for (uint64_t at = start; at < std::max(end, range.last + reach + longest);) {
        auto parts = take_apart(text.from(at));
        if (!parts && at >= end)
            return false;
        if (!parts || branches_into(text, at, *parts, range))
            return true;
        bool is_indirect_jump = parts->is_legacy(0) && parts->opcode == 0xff && parts->reg() == 4;
        if (is_indirect_jump && at < end)
            return true;
        at += parts->length;
    }
    return false;
}

// Does a short branch among the instructions from `start` to `end` lead into the range? Also
// returns true if they cannot be decoded.
bool is_reached_from(Bytes text, uint64_t start, uint64_t end, InRange range)
{
    for (uint64_t at = start; at < end && at < text.size();) {
        auto parts = take_apart(text.from(at));
        if (!parts || branches_into(text, at, *parts, range))
            return true;
        at += parts->length;
    }
    return false;
}

// Does the opcode of a branch (call, jmp, 0f jcc, xbegin) precede this displacement of four bytes?
bool is_near_branch(Bytes text, uint64_t displacement_at)
{
    auto last = text.read<uint8_t>(displacement_at - 1),
         first = text.read<uint8_t>(displacement_at - 2);
    return last == 0xe8 || last == 0xe9 || last == 0xf8 ||
           (first == 0x0f && (last.value_or(0) & 0xf0) == 0x80);
}

// Calls action(target) for every four bytes that may be the displacement of a branch. It tries all
// offsets, because the boundaries of the instructions are unknown.
template <class Action>
void each_near_target(Bytes text, Action action)
{
    for (uint64_t at = 0; at + sizeof(int32_t) <= text.size(); at++) {
        int32_t displacement;
        memcpy(&displacement, text.data() + at, sizeof(displacement));
        uint64_t target = at + sizeof(displacement) + displacement;
        if (target < text.size() && is_near_branch(text, at))
            action(target);
    }
}

}  // namespace

std::optional<Entry> entry_after_vectors(Bytes function)
{
    auto pass = [](const Parts &parts, Bytes code, Entry &entry) {
        bool is_move = moves_from_vector(parts, code);
        if (is_move)
            entry.keeps_arguments &= (parts.modrm & 7) == 0;
        entry.keeps_first &= entry.keeps_arguments;
        return is_move || writes_vectors(parts);
    };
    return next_entry(
        function, [](const Instruction &) { return true; }, pass);
}

std::optional<Entry> cheap_entry(Bytes function, bool passes_reads)
{
    auto pass = [passes_reads](const Parts &parts, Bytes code, Entry &entry) {
        return (entry.offset == 0 && decode(code)->kind == Kind::EndBranch) ||
               pass_computation(parts, passes_reads, entry);
    };
    return next_entry(function, is_emulated, pass);
}

bool Branches::lead_after(uint64_t start, uint64_t size, uint64_t offset)
{
    InRange after_start = {start + 1, start + offset};
    return is_reached_from_inside_or_after(text_, start, size, after_start) ||
           is_reached_from_before(text_, start, after_start) ||
           near_branches_lead_to(after_start.first, after_start.last);
}

bool Branches::lead_from_outside(Range part, Range own, size_t own_near, uint64_t before)
{
    InRange range = {part.start, part.end - 1};
    if (part.start < own.start + reach + longest &&
        is_reached_from_before(text_, own.start, range) &&
        (before == own.start || is_reached_from(text_, before, own.start, range)))
        return true;
    if (own.end < part.end + reach && is_reached_from(text_, own.end, part.end + reach, range))
        return true;
    return count_near(part) != own_near;
}

// The first call scans, which is faster if it is the only one. Later calls use a sorted table.
size_t Branches::count_near(Range part)
{
    if (!std::exchange(was_counted_, true)) {
        size_t count = 0;
        each_near_target(
            text_, [&](uint64_t target) { count += target >= part.start && target < part.end; });
        return count;
    }
    if (targets_.empty()) {
        each_near_target(text_, [this](uint64_t target) { targets_.push_back(uint32_t(target)); });
        std::sort(targets_.begin(), targets_.end());
    }
    auto first = std::lower_bound(targets_.begin(), targets_.end(), part.start);
    return std::lower_bound(first, targets_.end(), part.end) - first;
}

// The first call scans, which is faster if it is the only one. Later calls look up the bytes.
bool Branches::near_branches_lead_to(uint64_t first, uint64_t last)
{
    if (!std::exchange(was_searched_, true)) {
        bool any = false;
        each_near_target(text_, [&](uint64_t target) { any |= target >= first && target <= last; });
        return any;
    }
    if (is_target_.empty()) {
        is_target_.resize(text_.size());
        each_near_target(text_, [this](uint64_t target) { is_target_[target] = true; });
    }
    auto from = is_target_.begin() + first;
    return std::find(from, from + (last - first + 1), true) != from + (last - first + 1);
}

}  // namespace uscope::insn
