// Computes how long an x86-64 instruction is.
//
// An instruction consists of: legacy prefixes; one REX prefix (40-4f); the opcode (one byte, or 0f
// and one, or 0f 38 / 0f 3a and one); a ModRM byte if the opcode needs one; if ModRM says so, a SIB
// byte and a displacement of 1 or 4 bytes; if the opcode says so, an immediate. VEX (c5, c4), EVEX
// (62) and XOP (8f) replace prefixes, REX and opcode map, in 2, 3, 4 and 3 bytes. An instruction
// has at most 15 bytes.
//
// Worked example:
//
//     66 41 81 7c 24 08 34 12      cmpw $0x1234,8(%r12)
//     66                           operand size 16: the immediate has 2 bytes, not 4
//        41                        REX.B
//           81                     opcode; in the table 'k': ModRM and an immediate of operand size
//              7c 24               ModRM 01.111.100: 1 byte of displacement; 100: a SIB byte
//                    08            displacement
//                       34 12      immediate                           8 bytes in all
//
// The length is exact for every instruction that Zydis 4 knows in 64-bit mode: the test compares
// all opcodes and about ten million instructions of real programs. An undefined opcode in a defined
// map has the length that its map implies. APX (REX2, EVEX map 4) is not supported.
#include "insn/parts.h"

#include <string_view>

namespace uscope::insn {

namespace {

using Encoding = Parts::Encoding;

constexpr size_t longest = 15;

// What follows each opcode:
//   .  nothing            m  ModRM                r  ModRM that always means registers
//   b  1 byte             n  ModRM, 1 byte        k  ModRM, operand size (2 or 4 bytes)
//   w  2 bytes            z  operand size         v  operand size, 8 bytes with REX.W
//   j  4 bytes            a  address (8 or 4)     e  3 bytes (enter)
//   i  ModRM, 4 bytes     3  ModRM; 1 byte if reg is 0 or 1 (test)
//                         4  ModRM; operand size if reg is 0 or 1 (test)
//   x  ModRM; 2 bytes with prefix 66 or f2 (extrq, insertq)
//   !  no instruction     -  not looked up: a prefix, or it leads to another map
using Map = std::string_view;

constexpr Map one_byte =
    "mmmmbz!!mmmmbz!-"
    "mmmmbz!!mmmmbz!!"
    "mmmmbz-!mmmmbz-!"
    "mmmmbz-!mmmmbz-!"
    "----------------"  // 40: REX
    "................"
    "!!-m----zkbn...."  // 62: EVEX
    "bbbbbbbbbbbbbbbb"
    "nk!nmmmmmmmmmmmm"  // 80; 8f may be XOP
    "..........!....."
    "aaaa....bz......"
    "bbbbbbbbvvvvvvvv"
    "nnw.--nke.w..b!."  // c0; c4, c5: VEX
    "mmmm!!!.mmmmmmmm"
    "bbbbbbbbjj!b...."
    "-.--..34......mm";

constexpr Map two_byte =  // after 0f
    "mmmm!.....!.!m.n"
    "mmmmmmmmmmmmmmmm"
    "rrrr!!!!mmmmmmmm"
    "......!.-!-!!!!!"  // 38, 3a: other maps
    "mmmmmmmmmmmmmmmm"  // 40
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "nnnnmmm.xm!!mmmm"
    "jjjjjjjjjjjjjjjj"  // 80
    "mmmmmmmmmmmmmmmm"
    "...mnmmm...mnmmm"
    "mmmmmmmmmmnmmmmm"
    "mmnmnnnm........"  // c0
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm";

constexpr Map vector =  // map 1 of VEX and EVEX
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"  // 40
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "nnnnmmm.mmmmmmmm"  // 77: vzeroupper
    "!!!!!!!!!!!!!!!!"  // 80
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmnmnnnmmmmmmmmm"  // c0
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm"
    "mmmmmmmmmmmmmmmm";

static_assert(one_byte.size() == 256 && two_byte.size() == 256 && vector.size() == 256);

class Reader {
  public:
    explicit Reader(Bytes code) : code_(code) {}

    bool run()
    {
        if (!prefixes() || !opcode() || !operands() || at_ > longest || at_ > code_.size())
            return false;
        parts.length = at_;
        return true;
    }
    Parts parts;

  private:
    bool prefixes()
    {
        for (; at_ < longest; ++at_) {
            auto byte = code_.read<uint8_t>(at_);
            if (!byte)
                return false;
            if ((*byte & 0xf0) == 0x40) {
                parts.idle_rex |= parts.rex != 0;
                parts.rex = *byte;
                continue;
            }
            switch (*byte) {
            case 0x26:
            case 0x2e:
            case 0x36:
            case 0x3e:
                parts.segment_prefix = true;
                break;
            case 0x64:
            case 0x65:
                parts.thread_prefix = true;
                break;
            case 0x66:
                parts.size_prefix = true;
                break;
            case 0x67:
                parts.address_prefix = true;
                break;
            case 0xf0:
                parts.lock_prefix = true;
                break;
            case 0xf2:
            case 0xf3:
                parts.repeat_prefix = *byte;
                break;
            default:
                return true;
            }
            parts.idle_rex |= parts.rex != 0;
            parts.rex = 0;  // REX is effective only directly before the opcode
        }
        return false;
    }

    bool opcode()
    {
        if (!take(parts.opcode))
            return false;
        switch (parts.opcode) {
        case 0x0f:
            return two_byte_opcode();
        case 0x62:
            return wide_opcode(Encoding::Evex, 3);
        case 0xc4:
            return wide_opcode(Encoding::Vex, 2);
        case 0xc5:
            return wide_opcode(Encoding::Vex, 1);
        case 0x8f: {
            auto next = code_.read<uint8_t>(at_);
            bool is_pop = next && (*next & 0x1f) < 8;
            return is_pop || wide_opcode(Encoding::Xop, 2);
        }
        default:
            return true;
        }
    }

    bool two_byte_opcode()
    {
        parts.map = 1;
        if (!take(parts.opcode))
            return false;
        if (parts.opcode != 0x38 && parts.opcode != 0x3a)
            return true;
        parts.map = parts.opcode == 0x38 ? 2 : 3;
        return take(parts.opcode);
    }

    // Reads the rest of VEX, EVEX or XOP: `payload` bytes, then the opcode. The first byte of the
    // payload contains the map, except in the VEX of two bytes, which always means map 1.
    bool wide_opcode(Encoding encoding, unsigned payload)
    {
        uint8_t first = 0;
        if (!take(first) || !skip(payload - 1) || !take(parts.opcode))
            return false;
        size_t prefix_at = encoding == Encoding::Evex ? at_ - 3 : at_ - 2;
        parts.vector_prefix = code_.read<uint8_t>(prefix_at).value_or(0) & 3;
        if (parts.rex || parts.size_prefix || parts.repeat_prefix || parts.lock_prefix)
            return false;
        parts.encoding = encoding;
        switch (encoding) {
        case Encoding::Xop:
            parts.map = first & 0x1f;
            return parts.map >= 8 && parts.map <= 10;
        case Encoding::Evex:
            parts.map = first & 7;
            return !(first & 8) && parts.map != 0 && parts.map != 4 && parts.map != 7;
        default:
            parts.map = payload == 1 ? 1 : first & 0x1f;
            return parts.map >= 1 && parts.map <= 3;
        }
    }

    char what_follows() const
    {
        switch (parts.map) {
        case 0:
            return one_byte[parts.opcode];
        case 1:
            return (parts.encoding == Encoding::Legacy ? two_byte : vector)[parts.opcode];
        case 3:  // 0f 3a
        case 8:  // XOP
            return 'n';
        case 10:  // XOP
            return 'i';
        default:
            return 'm';
        }
    }

    bool operands()
    {
        bool rex_w = parts.rex & 8;  // overrides the operand size prefix
        unsigned operand_size = parts.size_prefix && !rex_w ? 2 : 4;
        switch (what_follows()) {
        case '.':
            return true;
        case 'b':
            return skip(1);
        case 'w':
            return skip(2);
        case 'e':
            return skip(3);
        case 'j':
            return skip(4);
        case 'z':
            return skip(operand_size);
        case 'v':
            return skip(rex_w ? 8 : operand_size);
        case 'a':
            return skip(parts.address_prefix ? 4 : 8);
        case 'r':
            return take_modrm();
        case 'm':
            return address();
        case 'n':
            return address() && skip(1);
        case 'k':
            return address() && skip(operand_size);
        case 'i':
            return address() && skip(4);
        case '3':
            return address() && skip(parts.reg() < 2 ? 1 : 0);
        case '4':
            return address() && skip(parts.reg() < 2 ? operand_size : 0);
        case 'x':
            return address() && skip(parts.size_prefix || parts.repeat_prefix == 0xf2 ? 2 : 0);
        default:
            return false;
        }
    }

    // Reads ModRM, SIB and displacement.
    bool address()
    {
        if (!take_modrm())
            return false;
        unsigned mod = parts.modrm >> 6, rm = parts.modrm & 7;
        if (mod == 3)
            return true;
        uint8_t sib = 0;
        if (rm == 4 && !take(sib))
            return false;
        if (mod == 1)
            return skip(1);
        bool no_base = rm == 5 || (rm == 4 && (sib & 7) == 5);
        return skip(mod == 2 || no_base ? 4 : 0);
    }

    bool take_modrm()
    {
        parts.modrm_at = at_;
        return take(parts.modrm);
    }

    bool take(uint8_t &byte)
    {
        auto read = code_.read<uint8_t>(at_++);
        byte = read.value_or(0);
        return read.has_value();
    }

    // Does not check the bounds; run() does it once, at the end.
    bool skip(size_t bytes)
    {
        at_ += bytes;
        return true;
    }

    Bytes code_;
    size_t at_ = 0;
};

}  // namespace

std::optional<Parts> take_apart(Bytes code)
{
    Reader reader(code);
    if (!reader.run())
        return std::nullopt;
    return reader.parts;
}

}  // namespace uscope::insn
