// Knows what happens when a uprobe is on an x86-64 instruction (arch/x86/kernel/uprobes.c of Linux
// 5.10 to 7.2).
//
// The kernel puts a breakpoint over the instruction's first byte. When the breakpoint is hit, it
// *emulates* some instructions, and *single-steps* a copy of all others, at many times the cost. It
// *refuses* to probe some, but only when a process maps the file; if none does, the attach succeeds
// and the probe never fires.
//
//  - Emulated: nop (90), push of a register (50-57, 41 50-57), call, jmp and jcc relative; since
//    6.16 also the usual forms of nop 0f 1f ("uprobes/x86: Add support to emulate nop
//    instructions"). Measured on 6.18: 0.8-1.0 us; single-stepped instructions such as endbr64 take
//    12-14 us.
//  - Refused: the prefixes cs, ds, es, ss and lock (so also `notrack jmp *%rax` and `cs nopw`);
//    relative branches with an operand size prefix; mov to %ss; and those opcodes of the one-byte
//    map that the table below lists: privileged ones, in, out, int, int3, iret. The kernel uses the
//    same table for the opcode of a VEX or EVEX instruction, and so refuses a part of AVX because
//    the numbers happen to be equal: `vmovdqu (%rsi),%ymm0` (6f) and `vpxor` (ef), but not
//    `vmovups` (10). The kernel's table of two-byte opcodes has no effect, because 0f itself is
//    allowed: the kernel accepts syscall, rdfsbase and even ud2.
//  - Mistaken for another instruction: the kernel reads the opcode of a VEX or EVEX instruction as
//    if it were an opcode of the one-byte map. In the following, the instruction that is really
//    there is in parentheses. The kernel emulates 70-7f as a conditional jump (`vpcmpeqb`,
//    `vpshufd`, `vpbroadcastb %esi,%ymm17`), e8, e9 and eb as a call and jumps (`vpor`), and 90,
//    before 6.19, as a nop (`kmovw`); the real instruction is never executed. It handles c2, c3, ca
//    and cb as returns, so that the program continues inside the kernel's copy (`vcmpps`), and 9d
//    as a popf, which leaves the trap flag set and an ip-relative operand at the wrong address
//    (`vfnmadd132sd`). Before 6.19, it also handles `xchg %r8,%rax` (41 90) as a nop
//    ("x86/insn,uprobes,alternative: Unify insn_is_nop()").
//  - Changed by single-stepping: pushf saves the trap flag that the step has set, so that the
//    program dies at its popf. If syscall creates a thread or a child, it starts inside the
//    kernel's copy; and signals wait until the system call returns. A repeated string instruction
//    hits the probe once for each of its elements. xbegin and far calls have addresses that the
//    kernel does not relocate; enclu and uiret continue elsewhere. On processors with UMIP, the
//    kernel executes sldt, str, sgdt, sidt and smsw itself, which loses the step: the program
//    continues inside the copy. If an instruction has two REX prefixes, the kernel uses the one
//    without effect, and gets ip wrong. If a hypervisor executes an instruction instead of the
//    processor, the step may also be lost: that of cpuid always, those of others at the
//    hypervisor's choice. Measured in a KVM guest: cpuid killed the program at its first step.
//  - Replaced: 6.18 replaces a nop of 5 bytes by a call, which overwrites what a function keeps
//    below its stack pointer. At its start, a function keeps nothing there.
//
// These rules agree with the kernel for a uprobe on each opcode of each map, with many prefixes and
// operands: tests/harm/instructions executes the instructions with and without a uprobe, and
// compares the results.
#include "insn/decode.h"

#include <string_view>

#include "insn/known.h"
#include "insn/parts.h"

namespace uscope::insn {

namespace {

// 'x': the kernel refuses this opcode in the one-byte map and, because of the equal number, in any
// VEX or EVEX map.
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

bool is_refused_by_kernel(const Parts &p)
{
    if (p.lock_prefix || p.segment_prefix)
        return true;
    if (p.encoding == Parts::Encoding::Xop)
        return false;
    bool is_short_jcc = p.is_legacy(0) && (p.opcode & 0xf0) == 0x70;
    bool is_near_jcc = p.is_legacy(1) && (p.opcode & 0xf0) == 0x80;
    if (is_short_jcc || is_near_jcc)
        return p.size_prefix;
    if (p.encoding == Parts::Encoding::Legacy && p.map != 0)
        return false;
    if (p.opcode == 0x8e)  // mov to a segment register (2: %ss); with VEX, vpmaskmovd
        return p.reg() == 2;
    if (p.encoding == Parts::Encoding::Legacy) {
        switch (p.opcode) {
        case 0x8f:  // pop, the only instruction of its group
            return p.reg() != 0;
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

// Does the kernel mistake this opcode of a VEX or EVEX instruction (in any map) for an opcode of
// the one-byte map?
bool is_mistaken(uint8_t opcode)
{
    switch (opcode) {
    case 0x90:  // nop
    case 0x9d:  // popf
    case 0xc2:  // ret
    case 0xc3:
    case 0xca:  // far ret
    case 0xcb:
    case 0xe8:  // call
    case 0xe9:  // jmp
    case 0xeb:
    case 0xff:  // call and jmp, indirect
        return true;
    default:
        return (opcode & 0xf0) == 0x70;  // jcc
    }
}

bool is_string_operation(uint8_t opcode)
{
    return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

bool is_changed_by_step(const Parts &p)
{
    if (p.idle_rex)  // the kernel uses this prefix instead of the effective one
        return true;
    if (p.is_legacy(0)) {
        switch (p.opcode) {
        case 0x90:
            return p.rex & 1;  // xchg %r8,%rax
        case 0x9c:             // pushf
        case 0xca:             // far ret
        case 0xcb:
            return true;
        case 0xe0:  // loop and jrcxz with prefix 66: AMD's processors jump to a 16-bit address
        case 0xe1:
        case 0xe2:
        case 0xe3:
            return p.size_prefix;
        case 0xc7:
            return p.modrm == 0xf8;  // xbegin
        case 0xff:                   // far call and jmp; near ones with prefix 66
            return p.reg() == 3 || p.reg() == 5 ||
                   (p.size_prefix && (p.reg() == 2 || p.reg() == 4));
        default:
            return p.repeat_prefix && is_string_operation(p.opcode);
        }
    }
    if (!p.is_legacy(1))
        return false;
    // sldt, str, sgdt, sidt, smsw: with UMIP, the kernel executes these itself, and the step is
    // lost.
    bool is_memory = p.modrm >> 6 != 3;
    if (p.opcode == 0x00 && p.reg() < 2)
        return true;
    if (p.opcode == 0x01 && (p.reg() == 4 || (is_memory && p.reg() < 2)))
        return true;
    bool is_rdtscp = p.opcode == 0x01 && p.modrm == 0xf9;
    bool is_virtualized = p.opcode == 0xa2 || p.opcode == 0x31 || p.opcode == 0x33 || is_rdtscp;
    if (is_virtualized)  // cpuid, rdtsc, rdpmc
        return true;
    bool is_syscall = p.opcode == 0x05 || p.opcode == 0x34;  // and sysenter
    bool is_enclu = p.modrm == 0xd7, is_uiret = p.modrm == 0xec && p.repeat_prefix == 0xf3;
    return is_syscall || (p.opcode == 0x01 && (is_enclu || is_uiret));
}

Refusal refusal_of(const Parts &p)
{
    if (is_refused_by_kernel(p))
        return Refusal::ByKernel;
    if (!is_known_to_kernel(p))
        return Refusal::Unknown;
    bool is_vector = p.encoding != Parts::Encoding::Legacy;
    return (is_vector ? is_mistaken(p.opcode) : is_changed_by_step(p)) ? Refusal::Corrupts
                                                                       : Refusal::None;
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
    Refusal refusal = refusal_of(*parts);
    return Instruction{parts->length, refusal == Refusal::None ? kind_of(*parts) : Kind::Refused,
                       refusal};
}

// Linux 6.18 replaces a nop of this length by a call when a uprobe is on it.
constexpr uint8_t optimised_nop = 5;

Refusal refusal(const Instruction &instruction, bool at_start)
{
    bool may_be_call = instruction.kind == Kind::Nop && instruction.length == optimised_nop;
    return may_be_call && !at_start ? Refusal::Nop5 : instruction.refusal;
}

std::string_view describe(Refusal refusal)
{
    switch (refusal) {
    case Refusal::None:
        return "can be probed";
    case Refusal::ByKernel:
        return "the kernel refuses to probe";
    case Refusal::Unknown:
        return "the kernel cannot single-step";
    case Refusal::Corrupts:
        return "the kernel would execute wrongly under a probe";
    case Refusal::Nop5:
        return "Linux 6.18 would replace by a call, which overwrites the stack";
    }
    return "";
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

bool is_emulated(const Instruction &instruction)
{
    switch (instruction.kind) {
    case Kind::Nop:
        return instruction.length != optimised_nop;
    case Kind::Push:
    case Kind::CallRelative:
    case Kind::JumpRelative:
        return true;
    default:
        return false;
    }
}

uint64_t entry_offset(Bytes function)
{
    auto first = decode(function);
    if (!first || first->kind != Kind::EndBranch)
        return 0;
    auto second = decode(function.from(first->length));
    return second && is_emulated(*second) ? first->length : 0;
}

}  // namespace uscope::insn
