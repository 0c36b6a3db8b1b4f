// Finds out where x86-64 and arm64 instructions lead.
#include "insn/flow.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::insn {
namespace {

// The number of instructions to examine before an indirect jump. GCC and Clang set the register by
// which a switch jumps at most 13 instructions before the jump.
constexpr size_t window = 14;

// --- x86-64 --------------------------------------------------------------------------------------

bool is_x86_trap(const Parts &p)
{
    if (p.is_legacy(1))
        return p.opcode == 0x0b || p.opcode == 0xb9 || p.opcode == 0xff;  // ud2, ud1, ud0
    return p.is_legacy(0) && (p.opcode == 0xcc || p.opcode == 0xf4 || p.opcode == 0xcf);
}

bool is_x86_system_call(const Parts &p)
{
    if (p.is_legacy(1))
        return p.opcode == 0x05 || p.opcode == 0x34;  // syscall, sysenter
    return p.is_legacy(0) && p.opcode == 0xcd;        // int
}

bool is_xbegin(const Parts &p)
{
    return p.is_legacy(0) && p.opcode == 0xc7 && p.modrm == 0xf8;
}

Flow x86_flow(const Parts &p)
{
    if (is_x86_trap(p))
        return Flow::Stop;
    if (is_x86_system_call(p))
        return Flow::SystemCall;
    if (p.is_legacy(1))
        return (p.opcode & 0xf0) == 0x80 ? Flow::Branch : Flow::Next;
    if (!p.is_legacy(0))
        return Flow::Next;
    if ((p.opcode & 0xf0) == 0x70 || (p.opcode & 0xfc) == 0xe0 || is_xbegin(p))
        return Flow::Branch;
    switch (p.opcode) {
    case 0xc2:
    case 0xc3:
    case 0xca:
    case 0xcb:
        return Flow::Return;
    case 0xe8:
        return Flow::Call;
    case 0xe9:
    case 0xeb:
        return Flow::Jump;
    case 0xff:
        if (p.reg() == 2 || p.reg() == 3)
            return Flow::Call;
        return p.reg() == 4 || p.reg() == 5 ? Flow::JumpIndirect : Flow::Next;
    default:
        return Flow::Next;
    }
}

std::optional<Step> x86_step(Bytes code)
{
    auto parts = take_apart(code);
    auto instruction = decode(code);
    if (!parts || !instruction)
        return std::nullopt;
    Step step{parts->length, x86_flow(*parts), instruction->kind != Kind::Refused, 0};
    if (step.flow != Flow::Jump && step.flow != Flow::Branch)
        return step;
    if (parts->size_prefix)  // 16 or 32 bits of displacement: AMD's and Intel's processors differ
        return std::nullopt;
    bool is_short = parts->is_legacy(0) && parts->opcode != 0xe9 && !is_xbegin(*parts);
    step.target = step.length + (is_short ? code.read<int8_t>(step.length - 1).value_or(0)
                                          : code.read<int32_t>(step.length - 4).value_or(0));
    return step;
}

// What the ModRM byte of an instruction describes.
struct Operand {
    unsigned reg = 0, base = 0;  // `base`: the register itself if the operand is not memory
    bool is_memory = false, is_relative = false, has_index = false;
    bool is_of_8_bytes = false;     // memory with an index that is scaled by 8
    bool has_displacement = false;  // of 4 bytes
};

Operand operand_of(Bytes code, const Parts &parts)
{
    constexpr unsigned has_sib = 4, none = 4, relative = 5, no_base = 5;
    Operand operand;
    operand.reg = parts.reg() | (parts.rex & 4) << 1;
    unsigned mod = parts.modrm >> 6, rm = parts.modrm & 7;
    operand.base = rm | (parts.rex & 1) << 3;
    operand.is_memory = mod != 3;
    operand.is_relative = mod == 0 && rm == relative;
    if (!operand.is_memory || rm != has_sib)
        return operand;
    uint8_t sib = code.read<uint8_t>(parts.modrm_at + 1).value_or(0);
    operand.has_index = (sib >> 3 & 7) != none || parts.rex & 2;
    operand.is_of_8_bytes = sib >> 6 == 3;
    operand.has_displacement = mod == 2 || (mod == 0 && (sib & 7) == no_base);
    return operand;
}

bool has_notrack(Bytes code, const Parts &parts)
{
    for (uint64_t at = 0; at < parts.length; at++) {
        uint8_t byte = code.read<uint8_t>(at).value_or(0);
        if (byte == parts.opcode)
            return false;
        if (byte == 0x3e)
            return true;
    }
    return false;
}

IndirectKind kind_of_address(const Operand &read, bool is_marked)
{
    if (!read.has_index || !read.is_of_8_bytes)
        return IndirectKind::Address;
    return is_marked ? IndirectKind::Table : IndirectKind::Unknown;
}

// Returns how the instruction computes the general register `wanted`; nullopt if it does not write
// it.
std::optional<IndirectKind> x86_origin(Bytes code, const Parts &parts, unsigned wanted,
                                       bool is_marked)
{
    if (!parts.is_legacy(0))
        return std::nullopt;
    Operand operand = operand_of(code, parts);
    bool to_reg = operand.reg == wanted, to_base = !operand.is_memory && operand.base == wanted;
    switch (parts.opcode) {
    case 0x01:  // add %reg,%base
        return to_base ? std::optional(IndirectKind::Table) : std::nullopt;
    case 0x03:  // add operand,%reg
        return to_reg ? std::optional(IndirectKind::Table) : std::nullopt;
    case 0x89:  // mov %reg,%base
        return to_base ? std::optional(IndirectKind::Address) : std::nullopt;
    case 0x8b:  // mov operand,%reg
        if (!to_reg)
            return std::nullopt;
        return operand.is_memory ? kind_of_address(operand, is_marked) : IndirectKind::Address;
    case 0x8d:  // lea
        return to_reg ? std::optional(IndirectKind::Address) : std::nullopt;
    default:
        return std::nullopt;
    }
}

bool is_x86_constant(const Parts &p)  // mov $imm32 to a register
{
    return (p.opcode & 0xf8) == 0xb8 || (p.opcode == 0xc7 && p.modrm >> 6 == 3);
}

std::optional<NamedAddress> x86_named_address(Bytes code)
{
    auto parts = take_apart(code);
    if (!parts || !parts->is_legacy(0) || parts->length < 5)
        return std::nullopt;
    // Each of these forms ends with the address.
    int64_t last = code.read<int32_t>(parts->length - 4).value_or(0);
    if (is_x86_constant(*parts))
        return NamedAddress{last, false};
    constexpr uint8_t lea = 0x8d, mov = 0x8b, movslq = 0x63, add = 0x03, jmp = 0xff;
    constexpr uint8_t readers[] = {lea, mov, movslq, add, jmp};
    if (!std::count(std::begin(readers), std::end(readers), parts->opcode))
        return std::nullopt;
    Operand operand = operand_of(code, *parts);
    if (operand.is_relative && parts->opcode == lea)
        return NamedAddress{parts->length + last, true};
    if (operand.has_index && operand.has_displacement)
        return NamedAddress{last, false};
    return std::nullopt;
}

// Returns the starts of the instructions that lead to the one at `offset`, at most `window` of
// them.
std::vector<uint64_t> instructions_before(abi::Machine machine, Bytes function, uint64_t from,
                                          uint64_t offset)
{
    std::vector<uint64_t> starts;
    for (uint64_t at = from; at < offset;) {
        auto instruction = step(machine, function.from(at));
        if (!instruction)
            return {};
        starts.push_back(at);
        at += instruction->length;
    }
    if (starts.size() > window)
        starts.erase(starts.begin(), starts.end() - window);
    return starts;
}

IndirectKind x86_indirect_kind(Bytes function, uint64_t from, uint64_t offset)
{
    Bytes code = function.from(offset);
    auto jump = take_apart(code);
    if (!jump)
        return IndirectKind::Unknown;
    // Compilers omit endbr64 at the targets of a switch, and so mark its jump with notrack.
    bool is_marked = has_notrack(code, *jump);
    Operand operand = operand_of(code, *jump);
    if (operand.is_memory)
        return operand.is_relative ? IndirectKind::Address : kind_of_address(operand, is_marked);
    auto starts = instructions_before(abi::Machine::X86_64, function, from, offset);
    for (auto at = starts.rbegin(); at != starts.rend(); ++at) {
        Bytes before = function.from(*at);
        if (auto parts = take_apart(before)) {
            if (auto kind = x86_origin(before, *parts, operand.base, is_marked))
                return *kind;
        }
    }
    return is_marked ? IndirectKind::Table : IndirectKind::Address;
}

// --- arm64 ---------------------------------------------------------------------------------------

constexpr uint8_t arm_length = 4;

int64_t signed_field(uint32_t word, unsigned shift, unsigned bits)
{
    return int64_t(uint64_t(word >> shift) << (64 - bits)) >> (64 - bits);
}

bool is_arm_return(uint32_t word)  // ret, retaa, retab
{
    return (word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff;
}

// `jump`: the opcode of br, braa … (d61f0000) or of blr … (d63f0000).
bool is_arm_indirect(uint32_t word, uint32_t jump)
{
    return (word & 0xfffffc1f) == jump || (word & 0xfefff800) == (jump | 0x800);
}

std::optional<Step> arm_step(Bytes code)
{
    auto read = code.read<uint32_t>(0);
    if (!read)
        return std::nullopt;
    uint32_t word = *read;
    Step step{arm_length, Flow::Next, true, 0};
    if (is_arm_return(word)) {
        step.flow = Flow::Return;
    } else if (is_arm_indirect(word, 0xd61f0000)) {
        step.flow = Flow::JumpIndirect;
    } else if (is_arm_indirect(word, 0xd63f0000) || (word & 0xfc000000) == 0x94000000) {
        step.flow = Flow::Call;
    } else if ((word & 0xfc000000) == 0x14000000) {  // b
        step.flow = Flow::Jump;
        step.target = signed_field(word, 0, 26) * 4;
    } else if ((word & 0xff000000) == 0x54000000 ||  // b.cond, bc.cond
               (word & 0x7e000000) == 0x34000000) {  // cbz, cbnz
        step.flow = Flow::Branch;
        step.target = signed_field(word, 5, 19) * 4;
    } else if ((word & 0x7e000000) == 0x36000000) {  // tbz, tbnz
        step.flow = Flow::Branch;
        step.target = signed_field(word, 5, 14) * 4;
    } else if ((word & 0xffe0001f) == 0xd4000001) {  // svc
        step.flow = Flow::SystemCall;
    } else if ((word & 0xffe0001f) == 0xd4200000 || word >> 16 == 0) {  // brk, udf
        step.flow = Flow::Stop;
    }
    return step;
}

IndirectKind arm_indirect_kind(Bytes function, uint64_t from, uint64_t offset)
{
    unsigned wanted = function.read<uint32_t>(offset).value_or(0) >> 5 & 31;
    auto starts = instructions_before(abi::Machine::Aarch64, function, from, offset);
    for (auto at = starts.rbegin(); at != starts.rend(); ++at) {
        uint32_t word = function.read<uint32_t>(*at).value_or(0);
        if ((word & 31) != wanted)
            continue;
        if ((word & 0x7f000000) == 0x0b000000)  // add %x,%x,%x, shifted or extended
            return IndirectKind::Table;
        if ((word & 0xffe00c00) == 0xf8600800)  // ldr %x,[%x,%x]
            return IndirectKind::Unknown;
        if ((word & 0xffc00000) == 0xf9400000 || (word & 0xffe0ffe0) == 0xaa0003e0)
            return IndirectKind::Address;  // ldr %x,[%x,n]; mov %x,%x
    }
    return IndirectKind::Address;
}

}  // namespace

std::optional<Step> step(abi::Machine machine, Bytes code)
{
    return machine == abi::Machine::X86_64 ? x86_step(code) : arm_step(code);
}

bool is_padding(abi::Machine machine, Bytes code)
{
    constexpr uint32_t arm_nop = 0xd503201f;
    if (machine != abi::Machine::X86_64)
        return code.read<uint32_t>(0) == arm_nop;
    auto parts = take_apart(code);
    if (!parts)
        return false;
    bool is_long_nop = parts->is_legacy(1) && parts->opcode == 0x1f;
    return is_long_nop || (parts->is_legacy(0) && (parts->opcode == 0x90 || parts->opcode == 0xcc));
}

std::optional<NamedAddress> named_address(abi::Machine machine, Bytes code)
{
    return machine == abi::Machine::X86_64 ? x86_named_address(code) : std::nullopt;
}

IndirectKind indirect_kind(abi::Machine machine, Bytes function, uint64_t from, uint64_t offset)
{
    return machine == abi::Machine::X86_64 ? x86_indirect_kind(function, from, offset)
                                           : arm_indirect_kind(function, from, offset);
}

}  // namespace uscope::insn
