// Interprets the instructions that compilers use to put a result into %rax.
#include "insn/returned_value.h"

namespace uscope::insn {
namespace {

using From = ReturnedValue::From;

constexpr unsigned rax = 0, rdx = 2, rsp = 4, rbp = 5;
constexpr uint16_t all = 0xffff;

constexpr uint16_t bit(unsigned reg)
{
    return uint16_t(1u << reg);
}

bool is_wide(const Parts &p)
{
    return p.rex & 8;
}

unsigned in_opcode(const Parts &p)
{
    return (p.opcode & 7) | (p.rex & 1 ? 8 : 0);
}

// Without a REX prefix, the numbers 4 to 7 of byte registers mean %ah, %ch, %dh, %bh.
unsigned byte_register(const Parts &p, unsigned reg)
{
    return !p.rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

uint16_t to_rm(const Parts &p, bool is_byte = false)
{
    return is_register(p) ? bit(is_byte ? byte_register(p, rm_of(p)) : rm_of(p)) : 0;
}

uint16_t to_reg(const Parts &p, bool is_byte = false)
{
    return bit(is_byte ? byte_register(p, reg_of(p)) : reg_of(p));
}

// add, or, adc, sbb, and, sub, xor, cmp with two operands or a constant: opcodes 00 to 3d
uint16_t written_by_arithmetic(const Parts &p)
{
    bool is_cmp = p.opcode >= 0x38, is_byte = !(p.opcode & 1);
    switch (p.opcode & 7) {
    case 0:
    case 1:
        return is_cmp ? 0 : to_rm(p, is_byte);
    case 2:
    case 3:
        return is_cmp ? 0 : to_reg(p, is_byte);
    case 4:
    case 5:
        return is_cmp ? 0 : bit(rax);
    default:
        return all;
    }
}

// The opcodes c0 to ff, and 80 to 83.
uint16_t written_by_group(const Parts &p)
{
    constexpr unsigned cmp = 7;
    bool is_byte = !(p.opcode & 1);
    switch (p.opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        return p.reg() == cmp ? 0 : to_rm(p, is_byte);
    case 0xc0:  // shifts and rotations
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return to_rm(p, is_byte);
    case 0xc6:  // mov
    case 0xc7:
        return p.reg() == 0 ? to_rm(p, is_byte) : all;
    case 0xc9:  // leave
        return bit(rsp) | bit(rbp);
    case 0xd8 ... 0xde:  // x87
        return 0;
    case 0xf6:
    case 0xf7:
        if (p.reg() < 2)  // test
            return 0;
        return p.reg() < 4 ? to_rm(p, is_byte) : uint16_t(bit(rax) | bit(rdx));
    case 0xfe:
    case 0xff:
        if (p.reg() < 2)  // inc, dec
            return to_rm(p, is_byte);
        return p.opcode == 0xff && p.reg() == 6 ? bit(rsp) : all;  // push
    default:
        return all;
    }
}

uint16_t written_in_map_0(const Parts &p)
{
    bool is_byte = !(p.opcode & 1);
    switch (p.opcode) {
    case 0x00 ... 0x3f:
        return written_by_arithmetic(p);
    case 0x50 ... 0x57:  // push
    case 0x68:
    case 0x6a:
    case 0x9c:
        return bit(rsp);
    case 0x58 ... 0x5f:  // pop
        return bit(rsp) | bit(in_opcode(p));
    case 0x63:  // movslq
    case 0x69:  // imul
    case 0x6b:
    case 0x8d:  // lea
        return to_reg(p);
    case 0x84:  // test
    case 0x85:
    case 0xa8:
    case 0xa9:
        return 0;
    case 0x86:  // xchg
    case 0x87:
        return to_rm(p, is_byte) | to_reg(p, is_byte);
    case 0x88:  // mov
    case 0x89:
        return to_rm(p, is_byte);
    case 0x8a:
    case 0x8b:
        return to_reg(p, is_byte);
    case 0x90:
        return p.rex & 1 ? bit(rax) | bit(8) : 0;
    case 0x91 ... 0x97:
        return bit(rax) | bit(in_opcode(p));
    case 0x98:  // cltq
        return bit(rax);
    case 0x99:  // cqto
        return bit(rdx);
    case 0xb0 ... 0xb7:
        return bit(byte_register(p, in_opcode(p)));
    case 0xb8 ... 0xbf:
        return bit(in_opcode(p));
    default:
        return p.opcode == 0x80 || p.opcode == 0x81 || p.opcode == 0x83 || p.opcode >= 0xc0
                   ? written_by_group(p)
                   : all;
    }
}

// Does this opcode of the 0f map write no general register, but vector registers or memory?
bool is_vector(uint8_t opcode)
{
    switch (opcode) {
    case 0x10 ... 0x17:
    case 0x28 ... 0x29:
    case 0x2b:
    case 0x2e ... 0x2f:
    case 0x51 ... 0x70:
    case 0x74 ... 0x76:
    case 0x7f:
    case 0xc2:
    case 0xc6:
    case 0xd0 ... 0xd6:
    case 0xd8 ... 0xe6:
    case 0xe8 ... 0xfe:
        return true;
    default:
        return false;
    }
}

// VEX and EVEX: the instructions that write general registers, whose numbers Parts does not tell.
bool is_vector_to_register(const Parts &p)
{
    if (p.map == 2)
        return p.opcode >= 0xe0 && p.opcode <= 0xf7;  // cmpccxadd, andn, shlx, …
    if (p.map == 3)  // rorx, extractions, vpcmpestri and vpcmpistri
        return p.opcode == 0xf0 || (p.opcode >= 0x14 && p.opcode <= 0x17) || p.opcode == 0x61 ||
               p.opcode == 0x63;
    switch (p.opcode) {
    case 0x2c ... 0x2d:  // conversions
    case 0x78 ... 0x79:
    case 0x50:  // moves
    case 0x7e:
    case 0x93:
    case 0xc5:
    case 0xd7:
        return true;
    default:
        return false;
    }
}

uint16_t written_in_map_1(const Parts &p)
{
    if (is_vector(p.opcode))
        return 0;
    if (p.opcode == 0x77)  // vzeroupper
        return 0;
    if (p.encoding != Parts::Encoding::Legacy)
        return is_vector_to_register(p) ? all : 0;
    switch (p.opcode) {
    case 0x0d:  // prefetch
    case 0x18 ... 0x1d:
    case 0x1f:
        return 0;
    case 0x1e:  // rdssp
        return p.repeat_prefix == 0xf3 && p.reg() == 1 ? to_rm(p) : 0;
    case 0x40 ... 0x4f:  // cmov
    case 0xaf:           // imul
    case 0xb6 ... 0xb7:  // movzx
    case 0xbc ... 0xbf:  // bit scans, movsx
        return to_reg(p);
    case 0x90 ... 0x9f:  // set
        return to_rm(p, true);
    case 0x2c ... 0x2d:  // from vector registers
    case 0x50:
    case 0xc5:
    case 0xd7:
        return to_reg(p);
    case 0x7e:
        return to_rm(p);
    case 0x2a:  // to vector registers
    case 0xc4:
        return 0;
    default:
        return all;
    }
}

int64_t number_at_end(const Parts &p, Bytes code, size_t bytes)
{
    return bytes == 1 ? code.read<int8_t>(p.length - 1u).value_or(0)
                      : code.read<int32_t>(p.length - 4u).value_or(0);
}

ReturnedValue constant(int64_t number, bool is_wide)
{
    return {.from = From::Constant, .constant = is_wide ? number : int64_t(uint32_t(number))};
}

}  // namespace

uint16_t written_registers(const Parts &parts)
{
    bool is_legacy = parts.encoding == Parts::Encoding::Legacy;
    bool is_vector =
        parts.encoding == Parts::Encoding::Vex || parts.encoding == Parts::Encoding::Evex;
    if (parts.map == 1 && (is_legacy || is_vector))
        return written_in_map_1(parts);
    if (is_vector && (parts.map == 2 || parts.map == 3))
        return is_vector_to_register(parts) ? all : 0;
    return parts.is_legacy(0) ? written_in_map_0(parts) : all;
}

namespace {

// Does the instruction of the one-byte map read its memory operand without writing it?
bool only_reads(const Parts &p)
{
    constexpr unsigned cmp = 7;
    switch (p.opcode) {
    case 0x02:
    case 0x03:
    case 0x0a:
    case 0x0b:
    case 0x12:
    case 0x13:
    case 0x1a:
    case 0x1b:
    case 0x22:
    case 0x23:
    case 0x2a:
    case 0x2b:
    case 0x32:
    case 0x33:
    case 0x38 ... 0x3b:  // cmp
    case 0x63:           // movslq
    case 0x69:           // imul
    case 0x6b:
    case 0x84:  // test
    case 0x85:
    case 0x8a:  // mov
    case 0x8b:
    case 0x8d:  // lea
        return true;
    case 0x80:
    case 0x81:
    case 0x83:
        return p.reg() == cmp;
    case 0xf6:
    case 0xf7:
        return p.reg() < 2 || p.reg() > 3;  // test, mul, div
    case 0xff:
        return p.reg() == 6;  // push
    default:
        return false;
    }
}

// The same for the 0f map, also with VEX or EVEX.
bool only_reads_as_vector(uint8_t opcode)
{
    switch (opcode) {
    case 0x0d:  // prefetch
    case 0x10:
    case 0x12:
    case 0x14 ... 0x16:
    case 0x18 ... 0x1a:
    case 0x1c ... 0x1f:
    case 0x28:
    case 0x2a:
    case 0x2c ... 0x2f:
    case 0x40 ... 0x6f:
    case 0x70:
    case 0x74 ... 0x76:
    case 0xaf:
    case 0xb6 ... 0xb7:
    case 0xbc ... 0xbf:
    case 0xc2:
    case 0xc4:
    case 0xc6:
    case 0xd0 ... 0xd5:
    case 0xd8 ... 0xe6:
    case 0xe8 ... 0xfe:
        return true;
    default:
        return false;
    }
}

// Is the operand's address the stack pointer plus a constant?
bool is_on_stack(const Parts &p, Bytes code)
{
    constexpr uint8_t only_rsp = 0x24;
    bool is_plain = !p.segment_prefix && !p.thread_prefix && !p.address_prefix;
    return (p.modrm & 7) == rsp && !(p.rex & 3) && is_plain &&
           code.read<uint8_t>(p.modrm_at + 1u) == only_rsp;
}

}  // namespace

bool may_write_memory(const Parts &parts, Bytes code)
{
    bool has_memory = parts.modrm_at && !is_register(parts);
    if (parts.is_legacy(0) && !parts.modrm_at)  // movabs to memory, string instructions
        return parts.opcode >= 0xa2 && parts.opcode <= 0xaf && parts.opcode != 0xa8 &&
               parts.opcode != 0xa9;
    if (!has_memory)
        return parts.map == 1 && parts.opcode == 0xf7;  // maskmovdqu
    if (parts.is_legacy(0))
        return !only_reads(parts) && !is_on_stack(parts, code);
    if (parts.map == 1 && only_reads_as_vector(parts.opcode))
        return false;
    return parts.encoding != Parts::Encoding::Legacy || !is_on_stack(parts, code);
}

// What %rax contains after it was loaded from `from` in this form (its register is ignored).
ReturnedValue ReturnedValueState::copied(unsigned from, const ReturnedValue &form) const
{
    ReturnedValue copy = form;
    copy.from = From::Register;
    copy.reg = uint8_t(from);
    if (from != rax)
        return written_ & bit(from) ? ReturnedValue{.from = From::Unknown} : copy;
    if (value_.from != From::Register || form.bits > value_.bits)
        return {.from = From::Unknown};
    copy.reg = value_.reg;
    return copy;
}

// What %rax contains after an instruction that writes it.
ReturnedValue ReturnedValueState::after(const Parts &p, Bytes code) const
{
    const ReturnedValue unknown = {.from = From::Unknown};
    bool is_plain = !p.size_prefix && !p.idle_rex && !p.lock_prefix;
    if (!is_plain || p.encoding != Parts::Encoding::Legacy)
        return unknown;
    bool wide = is_wide(p);
    ReturnedValue full = {.bits = uint8_t(wide ? 64 : 32), .is_narrow = !wide};
    if (p.map == 1 && is_register(p) && reg_of(p) == rax && p.opcode >= 0xb6) {
        bool is_byte = !(p.opcode & 1), is_signed = p.opcode >= 0xbe;
        bool is_extension = p.opcode <= 0xb7 || p.opcode >= 0xbe;
        bool is_high = is_byte && byte_register(p, rm_of(p)) != rm_of(p);
        if (is_extension && !is_high && p.opcode <= 0xbf && !p.repeat_prefix)
            return copied(rm_of(p), {.bits = uint8_t(is_byte ? 8 : 16),
                                     .is_signed = is_signed,
                                     .is_narrow = is_signed && !wide});
        return unknown;
    }
    if (p.map != 0 || p.repeat_prefix)
        return unknown;
    switch (p.opcode) {
    case 0x31:  // xor
    case 0x33:
        return is_register(p) && reg_of(p) == rm_of(p) ? constant(0, true) : unknown;
    case 0x63:
        return is_register(p) && wide ? copied(rm_of(p), {.bits = 32, .is_signed = true}) : unknown;
    case 0x83:  // or $-1
        return p.reg() == 1 && number_at_end(p, code, 1) == -1 ? constant(-1, wide) : unknown;
    case 0x89:
        return is_register(p) ? copied(reg_of(p), full) : unknown;
    case 0x8b:
        return is_register(p) ? copied(rm_of(p), full) : unknown;
    case 0x98:
        return wide ? copied(rax, {.bits = 32, .is_signed = true}) : unknown;
    case 0xb8:
        return wide ? unknown : constant(number_at_end(p, code, 4), false);
    case 0xc7:
        return constant(number_at_end(p, code, 4), wide);
    default:
        return unknown;
    }
}

void ReturnedValueState::execute(const Parts &parts, Bytes code)
{
    uint16_t written = written_registers(parts);
    if (written & bit(rax))
        value_ = after(parts, code);
    written_ |= written;
}

}  // namespace uscope::insn
