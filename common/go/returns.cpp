// Decodes a Go function and checks that none of its jumps leaves it.
#include "go/returns.h"

#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::go {
namespace {

using insn::Parts;

bool is_return(const Parts &parts)
{
    return parts.is_legacy(0) && (parts.opcode & 0xf6) == 0xc2;  // c2, c3, ca, cb
}

// Does this relative jump have a displacement of one byte? (Otherwise it has 4 bytes.)
bool is_short(const Parts &parts)
{
    return parts.map == 0 && parts.opcode != 0xe9;
}

bool is_relative_jump(const Parts &parts)
{
    if (parts.is_legacy(1))
        return (parts.opcode & 0xf0) == 0x80;
    return parts.is_legacy(0) &&
           ((parts.opcode & 0xf0) == 0x70 || (parts.opcode & 0xfc) == 0xe0 ||  // jcc; loop, jrcxz
            parts.opcode == 0xe9 || parts.opcode == 0xeb);
}

// Returns the target of the relative jump at `offset`. Both are offsets from the function's start.
uint64_t target(Bytes function, uint64_t offset, const Parts &parts)
{
    uint64_t end = offset + parts.length;
    if (is_short(parts))
        return end + function.read<int8_t>(end - 1).value_or(0);
    return end + function.read<int32_t>(end - 4).value_or(0);
}

// Is the instruction jmp *(%table,%index,8)? Go (since 1.19) compiles a switch statement to it, and
// all its targets are in the function.
bool is_jump_table(Bytes instruction, const Parts &parts)
{
    constexpr uint8_t has_sib = 4, scale_8 = 3;
    if (parts.modrm >> 6 == 3 || (parts.modrm & 7) != has_sib)
        return false;
    for (uint64_t at = 0; at + 1 < parts.length; at++) {
        if (instruction.read<uint8_t>(at) == parts.opcode)
            return instruction.read<uint8_t>(at + 2).value_or(0) >> 6 == scale_8;
    }
    return false;
}

}  // namespace

Result<std::vector<uint64_t>> return_offsets(Bytes function)
{
    std::vector<uint64_t> returns;
    for (uint64_t at = 0; at < function.size();) {
        Bytes code = function.from(at);
        auto parts = insn::take_apart(code);
        auto instruction = insn::decode(code);
        if (!parts || !instruction)
            return fail("has an instruction at +{:#x} that is not understood", at);
        if (instruction->kind == insn::Kind::Return)
            returns.push_back(at);
        else if (is_return(*parts))
            return fail("has a return instruction that the kernel refuses to probe (+{:#x})", at);
        if (is_relative_jump(*parts) && target(function, at, *parts) >= function.size())
            return fail("leaves by a jump to another function (+{:#x})", at);
        if (instruction->kind == insn::Kind::JumpIndirect && !is_jump_table(code, *parts))
            return fail("leaves by an indirect jump (+{:#x})", at);
        at += parts->length;
    }
    if (returns.empty())
        return fail("has no return instruction");
    return returns;
}

}  // namespace uscope::go
