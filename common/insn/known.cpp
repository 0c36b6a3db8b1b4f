// Lists the instructions with 0f, VEX and EVEX that the kernel's decoder knows.
//
// Since Linux 5.12, the kernel refuses a uprobe on any other such instruction with -ENOEXEC. Before
// 5.12, and for opcodes without VEX to this day, it decodes the unknown instruction as one without
// ModRM: the instruction then reads or writes an ip-relative operand at the wrong address. Most of
// the unknown instructions are newer than the kernel (AVX-VNNI, FP16, AMX, key locker), or exist
// only on AMD's processors (FMA4).
//
// The tables have a hexadecimal digit for each opcode. Its bits are the prefixes with which the
// opcode is known: none (1), 66 (2), f3 (4) and f2 (8). Linux 5.10, 6.1 and 7.2 all know what is
// listed here (according to their x86-opcode-map.txt), so the result does not depend on the kernel.
#include "insn/known.h"

#include <array>
#include <string_view>

namespace uscope::insn {

namespace {

using Encoding = Parts::Encoding;

constexpr std::array<std::string_view, 3> legacy = {
    "ffff0ffff50f0ffffff33373f0fff0ffffff000033f3ff33ffffff0ff0f00000"
    "f33f3333ff33ffff3f553333fff7ffff3333333333332237ffff333f1100aa77"
    "ffffffffffffffff33bbffff33ffffffffffffffffffffffffffffffffffffff"
    "ffff333fffffffffa33333e333333333333333e333333333833333333333333f",  // 0f
    "3333333333330000200022020000333022222200222200002222220222222222"
    "2200000000000000000000000000000000000000000000000000000000000000"
    "2220000000000000000000000000000000000000000000000000000000000000"
    "000000ff1f11110200000000000222220000000000000000bb0f0270ef000000",  // 0f 38
    "0000000022222223000022220000000022200000000000000000000000000000"
    "2220200000002000000000000000000022220000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "000000000000f022000000000000000200000000000000000000000000000000",  // 0f 3a
};

constexpr std::array<std::string_view, 3> vex = {
    "0000000000000000fff33373000000000000000033c3cc330000000000000000"
    "03303333003300003f553333fff7ffff2222222222222226e00022210000aa66"
    "000000000000000033bb00003300000000000000000000100000000000000000"
    "00f0223000000000a222222222222222222222e2222222228222222222222220",  // 0f
    "2222222222222222000200222220222022222200222222222222222222222222"
    "2200022200000000000000002220000000000000000000000000000022000000"
    "0000000000002020222200222222222200000022222222220000002222222222"
    "00000000000000020000000000022222000000000000000000110d8f00000000",  // 0f 38
    "2220222022222222000022222200020022200000000000002222000022000000"
    "2220202000222000000000000000000022220000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000022000000000000000200000000000000008000000000000000",  // 0f 3a
};

constexpr std::array<std::string_view, 3> evex = {
    "0000000000000000fff33373000000000000000033c3cc330000000000000000"
    "03303333003300003f553333fff7ffff222222222222222ee0002221ffeeaa6e"
    "000000000000000033bb00003300000000000000000000000000000000000000"
    "00f0223000000000a222222222222222222222e2222222228222222222222220",  // 0f
    "2222222222220000666466220222222266666666666222006666662266622222"
    "222220200000222222ea220002220000002222208000000022e2022200222222"
    "0002000022220202220000000088000022220000008800000000220000000000"
    "0000200020222202000000000002222200000000000000000000000000000000",  // 0f 38
    "0002000022222222000022222222002222220222000000000000000022220022"
    "2222200000002000220022220000000022220022000000002222000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000022000000000000000200000000000000000000000000000000",  // 0f 3a
};

unsigned prefixes(const Parts &p)
{
    constexpr unsigned bits[] = {1, 2, 4, 8};
    if (p.encoding != Encoding::Legacy)
        return bits[p.vector_prefix];
    unsigned given = p.size_prefix ? 2 : 0;
    if (p.repeat_prefix)
        given |= p.repeat_prefix == 0xf3 ? 4 : 8;
    return given ? given : 1;
}

// Does this VEX instruction exist? In two groups of instructions that share an opcode, only some
// have VEX: vldmxcsr and vstmxcsr; blsr, blsmsk and blsi.
bool is_known_member(const Parts &p)
{
    if (p.map == 1 && p.opcode == 0xae)
        return p.reg() == 2 || p.reg() == 3;
    if (p.map == 2 && p.opcode == 0xf3)
        return p.reg() >= 1 && p.reg() <= 3;
    return true;
}

}  // namespace

bool is_known_to_kernel(const Parts &p)
{
    if (p.is_legacy(0))
        return true;
    if (p.encoding == Encoding::Xop || p.map < 1 || p.map > 3)
        return false;
    if (p.encoding == Encoding::Vex && !is_known_member(p))
        return false;
    const auto &maps = p.encoding == Encoding::Vex    ? vex
                       : p.encoding == Encoding::Evex ? evex
                                                      : legacy;
    char digit = maps[p.map - 1][p.opcode];
    unsigned known = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    return (prefixes(p) & ~known) == 0;
}

}  // namespace uscope::insn
