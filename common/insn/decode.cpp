// What a uprobe on an x86-64 instruction does (arch/x86/kernel/uprobes.c of 6.18).
//
// The kernel puts a breakpoint over the instruction's first byte. When that is hit it *emulates*
// some instructions, and *single-steps* a copy of all others, at many times the price. It *refuses*
// some, but only when a process maps the file: else the attach succeeds and the probe never fires.
//
//  - Emulated: nop (90), push of a register (50-57, 41 50-57), call, jmp and jcc relative; since
//    6.16 also the usual forms of nop 0f 1f ("uprobes/x86: Add support to emulate nop instructions").
//    Measured on 6.18: 0.8-1.0 us; endbr64 and others, which are stepped, 12-14 us.
//  - Refused: prefixes cs, ds, es, ss and lock - so also `notrack jmp *%rax` and `cs nopw` -;
//    relative branches with an operand size prefix; mov to %ss; and the opcodes of the table below,
//    of the one-byte map: privileged ones, in, out, int, int3, iret. The kernel asks the same table
//    for the opcode of a VEX or EVEX instruction, and so refuses a part of AVX by accident of
//    numbering: `vmovdqu (%rsi),%ymm0` (6f) and `vpxor` (ef), but not `vmovups` (10). Its table of
//    two-byte opcodes has no effect, as 0f itself is allowed: syscall, rdfsbase and even ud2 are
//    accepted.
//  - `xchg %r8,%rax` (49 90) was taken for a nop before 6.19 ("x86/insn,uprobes,alternative: Unify
//    insn_is_nop()"): the traced program goes wrong, reproduced on 6.18. Older kernels take XOP for
//    a pop, and mend its ip-relative operands in the wrong place. Both count as refused here.
//
// These rules agree with 6.18 on a uprobe placed on one instruction of every opcode of the maps
// one-byte, 0f, VEX 0f, VEX 0f 38 and EVEX 0f, and on each prefix before a push, nop, branch, ret.
#include "insn/decode.h"

#include <string_view>

#include "insn/parts.h"

namespace uscope::insn {

namespace {

// 'x': the kernel refuses the opcode in the one-byte map and, by the same number, in any VEX or
// EVEX map.
constexpr std::string_view refused =
    "......xx......x."
    "......xx......xx"
    ".......x.......x"
    ".......x.......x"
    "................"  // 40
    "................"
    "xxx.........xxxx"
    "................"
    "..x............."  // 80
    "..........x....."
    "................"
    "................"
    "............xxxx"  // c0
    "....xxx........."
    "....xxxx..x.xxxx"
    ".x..x.....xx....";

static_assert(refused.size() == 256);

bool is_refused(const Parts &p)
{
    if (p.lock_prefix || p.segment_prefix || p.encoding == Parts::Encoding::Xop)
        return true;
    bool is_short_jcc = p.is_legacy(0) && (p.opcode & 0xf0) == 0x70;
    bool is_near_jcc = p.is_legacy(1) && (p.opcode & 0xf0) == 0x80;
    if (is_short_jcc || is_near_jcc)
        return p.size_prefix;
    if (p.encoding == Parts::Encoding::Legacy && p.map != 0)
        return false;
    if (p.encoding == Parts::Encoding::Legacy) {
        switch (p.opcode) {
        case 0x8e:  // mov to a segment register; 2 is %ss
            return p.reg() == 2;
        case 0x90:
            return p.rex & 1;  // xchg %r8,%rax
        case 0xe8:
        case 0xe9:
        case 0xeb:
            return p.size_prefix;
        default:
            break;
        }
    }
    return refused[p.opcode] == 'x';
}

Kind kind_of_one_byte(const Parts &p)
{
    switch (p.opcode) {
    case 0x90:
        return p.repeat_prefix == 0xf3 ? Kind::Other : Kind::Nop;  // f3: pause
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
        return Kind::Return;
    case 0xe8:
        return Kind::CallRelative;
    case 0xe9:
    case 0xeb:
        return Kind::JumpRelative;
    case 0xff:
        return p.reg() == 4 || p.reg() == 5 ? Kind::JumpIndirect : Kind::Other;
    default:
        break;
    }
    if ((p.opcode & 0xf0) == 0x70)
        return Kind::JumpRelative;
    bool plain = p.length == 1 || (p.length == 2 && p.rex == 0x41);
    if ((p.opcode & 0xf8) == 0x50 && plain)
        return Kind::Push;
    return Kind::Other;
}

Kind kind_of_two_byte(const Parts &p)
{
    if (p.opcode == 0x1e && p.repeat_prefix == 0xf3 && p.modrm == 0xfa)
        return Kind::EndBranch;
    if (p.opcode == 0x1f && p.reg() == 0 && !p.repeat_prefix)
        return Kind::Nop;
    if (p.opcode == 0x0b || p.opcode == 0xb9 || p.opcode == 0xff)  // ud2, ud1, ud0
        return Kind::Trap;
    if ((p.opcode & 0xf0) == 0x80)
        return Kind::JumpRelative;
    return Kind::Other;
}

Kind kind_of(const Parts &p)
{
    if (is_refused(p))
        return Kind::Refused;
    if (p.is_legacy(0))
        return kind_of_one_byte(p);
    return p.is_legacy(1) ? kind_of_two_byte(p) : Kind::Other;
}

}  // namespace

std::optional<Instruction> decode(Bytes code)
{
    auto parts = take_apart(code);
    if (!parts)
        return std::nullopt;
    return Instruction{parts->length, kind_of(*parts)};
}

std::optional<bool> is_boundary(Bytes function, uint64_t offset)
{
    uint64_t at = 0;
    while (at < offset) {
        auto parts = take_apart(function.from(at));
        if (!parts)
            return std::nullopt;
        at += parts->length;
    }
    return at == offset;
}

uint64_t entry_offset(Bytes function)
{
    auto first = decode(function);
    if (!first || first->kind != Kind::EndBranch)
        return 0;
    auto second = decode(function.from(first->length));
    if (!second)
        return 0;
    switch (second->kind) {
    case Kind::Nop:
        // Not the nop of 5 bytes: 6.18 replaces it by a call when a uprobe is on it.
        return second->length == 5 ? 0 : first->length;
    case Kind::Push:
    case Kind::CallRelative:
    case Kind::JumpRelative:
        return first->length;
    default:
        return 0;
    }
}

}  // namespace uscope::insn
