// Moving a probe on an entry forward.
//
// Hand-written and compiled vector code often begins with an instruction that no uprobe can be on:
//
//     __strchr_evex:     62 e2 7d 28 7a ce    vpbroadcastb %esi,%ymm17
//                        89 f8                mov %edi,%eax             <- the probe goes here
//     __ieee754_pow_fma: c4 e1 f9 7e c0       vmovq %xmm0,%rax
//                        c4 e1 f9 7e ce       vmovq %xmm1,%rsi
//                        48 89 c2             mov %rax,%rdx             <- here
//
// No probe can read vector registers, so that they do not matter to it; the stack pointer, the frame
// and memory are as they were. The place is as good as the entry if nothing else leads there: that
// is so if no branch of the function does, nor any of the file's.
#include "insn/entry.h"

#include <algorithm>
#include <cstring>

#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::insn {

namespace {

using Encoding = Parts::Encoding;

// Does it write nothing but vector and mask registers, and flags?
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
    case 0x6e:  // move to the first operand
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

// vmovd and vmovq of a vector register to %rax, %rcx, %rdx, %rsi or %rdi.
bool writes_register(const Parts &p, Bytes code)
{
    constexpr unsigned rdx = 2, rsi = 6;
    unsigned to = p.modrm & 7;
    bool is_low = code.read<uint8_t>(0) == 0xc5 || code.read<uint8_t>(1).value_or(0) & 0x20;  // B
    return p.encoding == Encoding::Vex && p.map == 1 && p.opcode == 0x7e && p.vector_prefix == 1 &&
           p.modrm >> 6 == 3 && is_low && (to <= rdx || to >= rsi);
}

std::optional<Entry> pass(Bytes function)
{
    Entry entry = {0, true};
    while (true) {
        Bytes code = function.from(entry.offset);
        auto parts = take_apart(code);
        auto instruction = decode(code);
        if (!parts || !instruction)
            return std::nullopt;
        bool at_start = entry.offset == 0;
        if (refusal(*instruction, at_start) == Refusal::None)
            return at_start ? std::nullopt : std::optional(entry);
        if (writes_register(*parts, code))
            entry.keeps_arguments &= (parts->modrm & 7) == 0;
        else if (!writes_vectors(*parts))
            return std::nullopt;
        entry.offset += parts->length;
    }
}

struct Range {
    uint64_t first, last;
    bool has(uint64_t at) const { return at >= first && at <= last; }
};

// Branches with a displacement of one byte: jcc, jmp, loop, jrcxz.
bool is_short_branch(const Parts &p)
{
    return p.is_legacy(0) &&
           ((p.opcode & 0xf0) == 0x70 || p.opcode == 0xeb || (p.opcode & 0xfc) == 0xe0);
}

bool branches_into(Bytes text, uint64_t at, const Parts &p, Range range)
{
    uint64_t end = at + p.length;
    return is_short_branch(p) && range.has(end + text.read<int8_t>(end - 1).value_or(0));
}

constexpr uint64_t reach = 128;  // of a short branch

// Before the function it is not known where instructions start. Whatever the true ones are, one of
// them starts at one of `longest` bytes, so that all that may be are looked at.
bool is_reached_from_before(Bytes text, uint64_t start, Range range)
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

// By the function's own branches, which an indirect jump may be one of, and those close behind it.
bool is_reached_from_behind(Bytes text, uint64_t start, uint64_t size, Range range)
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

// The last opcode byte before a displacement of four bytes: call, jmp; jcc behind 0f; xbegin.
bool is_near_branch(Bytes text, uint64_t displacement_at)
{
    auto last = text.read<uint8_t>(displacement_at - 1),
         first = text.read<uint8_t>(displacement_at - 2);
    return last == 0xe8 || last == 0xe9 || last == 0xf8 ||
           (first == 0x0f && (last.value_or(0) & 0xf0) == 0x80);
}

// By a displacement of four bytes, wherever instructions start.
bool is_reached_from_afar(Bytes text, Range range)
{
    for (uint64_t at = 0; at + sizeof(int32_t) <= text.size(); at++) {
        int32_t displacement;
        memcpy(&displacement, text.data() + at, sizeof(displacement));
        uint64_t target = at + sizeof(displacement) + displacement;
        if (target - range.first <= range.last - range.first && is_near_branch(text, at))
            return true;
    }
    return false;
}

}  // namespace

std::optional<Entry> entry_behind(Bytes text, uint64_t start, uint64_t size)
{
    auto function = text.slice(start, size);
    auto entry = function ? pass(*function) : std::nullopt;
    if (!entry)
        return std::nullopt;
    Range behind_start = {start + 1, start + entry->offset};
    bool is_reached = is_reached_from_behind(text, start, size, behind_start) ||
                      is_reached_from_before(text, start, behind_start) ||
                      is_reached_from_afar(text, behind_start);
    return is_reached ? std::nullopt : entry;
}

}  // namespace uscope::insn
