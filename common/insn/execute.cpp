// Encodes instructions for bpf/shared/execute.bpf.c (see attach/execute.h).
//
// That program executes instructions with which many functions start, and the returns and jumps
// with which functions exit:
//
//     endbr64                 mov %rdi,%rax          xor %eax,%eax
//     ret                     mov $1,%eax            test %rdi,%rdi
//     rep ret                 mov 0x10(%rdi),%rax    cmp $3,%esi
//     ret $8                  lea 0x123(%rip),%rax   sub %rsi,%rax
//     jmp *%rax               jmp *0x8(%rax)
//
// The program executes a computing instruction only if it writes neither an argument register, nor
// the stack pointer, nor the frame pointer. So BPF programs of other tracers at a function's start
// see what the caller has passed, in whatever order the programs run; and the kernel's return
// probes, which are set up afterwards, find the right stack pointer.
#include "insn/execute.h"

#include <algorithm>

#include "bpf/shared/execute.h"
#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::insn {
namespace {

struct Form {  // the fields of the encoding: see bpf/shared/execute.h
    uint32_t form = 0;
    unsigned to = 0, from = EXECUTE_NO_REGISTER;
    bool is_wide = false;
    uint32_t value = 0;  // sign-extended
};

uint64_t cookie(const Parts &p, const Form &form)
{
    return uint64_t(form.value) << EXECUTE_VALUE_SHIFT | (form.is_wide ? EXECUTE_WIDE : 0) |
           uint64_t(form.from) << EXECUTE_FROM_SHIFT | uint64_t(form.to) << EXECUTE_TO_SHIFT |
           uint64_t(form.form) << EXECUTE_FORM_SHIFT | uint64_t(p.length) << EXECUTE_LENGTH_SHIFT;
}

// Returns the form of ret, also with a rep or bnd prefix; nullopt for the 16-bit form.
std::optional<Form> plain_return(const Parts &p, Bytes code)
{
    constexpr uint8_t with_arguments = 0xc2;
    if (p.size_prefix)
        return std::nullopt;
    Form form = {.form = EXECUTE_RETURN};
    if (p.opcode == with_arguments)
        form.value = code.read<uint16_t>(p.length - sizeof(uint16_t)).value_or(0);
    return form;
}

constexpr unsigned extends_rm = 1, is_64_bits = 8;  // of the REX prefix

// Reads a number of `bytes` bytes (1 or 4) at `at`, sign-extended.
uint32_t number_at(Bytes code, uint64_t at, size_t bytes)
{
    return bytes == 1 ? uint32_t(int32_t(code.read<int8_t>(at).value_or(0)))
                      : code.read<uint32_t>(at).value_or(0);
}

// Adds the memory operand of ModRM to `form`. Returns false if there is none or it has an index.
bool add_memory(const Parts &p, Bytes code, Form &form)
{
    constexpr unsigned has_sib = 4, no_base = 5;
    unsigned mod = p.modrm >> 6, rm = p.modrm & 7;
    uint64_t at = p.modrm_at + 1;
    if (is_register(p))
        return false;
    form.from = rm_of(p);
    if (rm == has_sib) {
        uint8_t sib = code.read<uint8_t>(at++).value_or(0);
        bool has_index = (sib >> 3 & 7) != 4 || p.rex & 2;
        if (has_index || ((sib & 7) == no_base && mod == 0))
            return false;
        form.from = (sib & 7) | (p.rex & extends_rm ? 8 : 0);
    } else if (rm == no_base && mod == 0) {
        form.from = EXECUTE_NEXT;
        form.value = number_at(code, at, 4);
        return true;
    }
    if (mod != 0)
        form.value = number_at(code, at, mod == 1 ? 1 : 4);
    return true;
}

// Returns the form of an operation. `number`: bits 3-5 of the opcode, or of ModRM for the opcodes
// 81 and 83. Returns 0 if the operation is not supported.
uint32_t arithmetic(unsigned number)
{
    constexpr uint32_t forms[] = {EXECUTE_ADD, EXECUTE_OR,  0,           0,
                                  EXECUTE_AND, EXECUTE_SUB, EXECUTE_XOR, EXECUTE_CMP};
    return forms[number & 7];
}

std::optional<Form> with_number(const Parts &p, Bytes code, uint32_t form, size_t bytes)
{
    if (!form || !is_register(p))
        return std::nullopt;
    return Form{form, rm_of(p), EXECUTE_NO_REGISTER, false,
                number_at(code, p.length - bytes, bytes)};
}

std::optional<Form> between_registers(const Parts &p, uint32_t form, bool to_reg)
{
    if (!form || !is_register(p))
        return std::nullopt;
    unsigned reg = reg_of(p), rm = rm_of(p);
    return Form{form, to_reg ? reg : rm, to_reg ? rm : reg};
}

std::optional<Form> from_memory(const Parts &p, Bytes code, uint32_t form)
{
    Form result = {form, reg_of(p)};
    return add_memory(p, code, result) ? std::optional(result) : std::nullopt;
}

// Returns the form of an instruction of the one-byte map with 32 or 64 bits.
std::optional<Form> form_of(const Parts &p, Bytes code)
{
    switch (p.opcode) {
    case 0x01:
    case 0x09:
    case 0x21:
    case 0x29:
    case 0x31:
    case 0x39:
        return between_registers(p, arithmetic(p.opcode >> 3), false);
    case 0x03:
    case 0x0b:
    case 0x23:
    case 0x2b:
    case 0x33:
    case 0x3b:
        return between_registers(p, arithmetic(p.opcode >> 3), true);
    case 0x81:
        return with_number(p, code, arithmetic(p.reg()), 4);
    case 0x83:
        return with_number(p, code, arithmetic(p.reg()), 1);
    case 0x85:
        return between_registers(p, EXECUTE_TEST, false);
    case 0x89:
        return between_registers(p, EXECUTE_SET, false);
    case 0x8b:
        return is_register(p) ? between_registers(p, EXECUTE_SET, true)
                              : from_memory(p, code, EXECUTE_LOAD);
    case 0x8d:
        return from_memory(p, code, EXECUTE_SET);
    case 0xc7:
        return with_number(p, code, p.reg() == 0 ? EXECUTE_SET : 0, 4);
    case 0xf7:
        return with_number(p, code, p.reg() == 0 ? EXECUTE_TEST : 0, 4);
    default:
        return std::nullopt;
    }
}

// Returns the form of mov $…,%eax: the register is a part of the opcode. The 64-bit instruction has
// a number of 8 bytes and is not supported.
std::optional<Form> mov_number(const Parts &p, Bytes code)
{
    if (p.rex & is_64_bits)
        return std::nullopt;
    unsigned to = (p.opcode & 7) | (p.rex & extends_rm ? 8 : 0);
    return Form{EXECUTE_SET, to, EXECUTE_NO_REGISTER, false, number_at(code, p.length - 4, 4)};
}

bool may_write(const Form &form)
{
    constexpr unsigned free_registers = 1 << 0 | 1 << 3 | 0xfc00;  // rax, rbx, r10-r15
    return form.form == EXECUTE_CMP || form.form == EXECUTE_TEST || free_registers >> form.to & 1;
}

// Returns the form of an indirect jmp, also with a bnd prefix.
std::optional<Form> indirect_jump(const Parts &p, Bytes code)
{
    constexpr unsigned near = 4;
    constexpr uint8_t bnd = 0xf2;
    uint8_t opcode_at = (p.repeat_prefix == bnd ? 1 : 0) + (p.rex ? 1 : 0);
    if (p.reg() != near || p.modrm_at != opcode_at + 1 || p.idle_rex)
        return std::nullopt;
    Form form = {.form = EXECUTE_JUMP, .from = rm_of(p), .is_wide = true};
    if (is_register(p))
        return form;
    form.form = EXECUTE_JUMP_BY_MEMORY;
    return add_memory(p, code, form) ? std::optional(form) : std::nullopt;
}

// Does the instruction have no prefix other than REX? Parts does not report fs and gs prefixes, so
// compare the offset of what should come first.
bool is_plain(const Parts &p, uint8_t first_byte)
{
    uint8_t opcode_at = p.rex ? 1 : 0;
    return p.is_legacy(0) && !p.idle_rex &&
           (p.modrm_at ? p.modrm_at == opcode_at + 1 : first_byte == (p.rex ? p.rex : p.opcode));
}

std::optional<Form> computation(const Parts &p, Bytes code)
{
    if (!is_plain(p, code.read<uint8_t>(0).value_or(0)))
        return std::nullopt;
    auto form = (p.opcode & 0xf8) == 0xb8 ? mov_number(p, code) : form_of(p, code);
    if (!form || !may_write(*form))
        return std::nullopt;
    form->is_wide = p.rex & is_64_bits;
    return form;
}

}  // namespace

std::optional<uint64_t> execution(Bytes code, bool may_return)
{
    auto parts = take_apart(code);
    auto instruction = decode(code);
    if (!parts || !instruction)
        return std::nullopt;
    std::optional<Form> form;
    switch (instruction->kind) {
    case Kind::EndBranch:
        form = {.form = EXECUTE_NOTHING};
        break;
    case Kind::Return:
        form = may_return ? plain_return(*parts, code) : std::nullopt;
        break;
    case Kind::JumpIndirect:
        form = indirect_jump(*parts, code);
        break;
    case Kind::Other:
        form = computation(*parts, code);
        break;
    default:
        break;
    }
    return form ? std::optional(cookie(*parts, *form)) : std::nullopt;
}

}  // namespace uscope::insn
