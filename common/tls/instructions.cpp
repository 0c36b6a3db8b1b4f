// Decodes functions: their calls, what they load, and where their jumps lead.
#include <algorithm>
#include <set>

#include "insn/flow.h"
#include "tls/code_index.h"

namespace uscope::tls {

bool Instruction::is_call() const
{
    return parts.is_legacy(0) && parts.opcode == 0xe8;
}

bool Instruction::is_any_call() const
{
    return is_call() || (parts.is_legacy(0) && parts.opcode == 0xff && parts.reg() == 2);
}

bool Instruction::is_jump() const
{
    return parts.is_legacy(0) && (parts.opcode == 0xe9 || parts.opcode == 0xeb);
}

bool Instruction::is_return() const
{
    return parts.is_legacy(0) && parts.opcode == 0xc3;
}

std::optional<uint64_t> Instruction::target() const
{
    bool is_near = is_call() || (parts.is_legacy(0) && parts.opcode == 0xe9) ||
                   (parts.is_legacy(1) && (parts.opcode & 0xf0) == 0x80);
    bool is_short = parts.is_legacy(0) && (parts.opcode == 0xeb || (parts.opcode & 0xf0) == 0x70);
    if (is_near)
        return next() + code.read<int32_t>(parts.length - 4).value_or(0);
    if (is_short)
        return next() + code.read<int8_t>(parts.length - 1).value_or(0);
    return std::nullopt;
}

std::optional<Instruction::Load> Instruction::load() const
{
    constexpr unsigned relative = 5;
    if (!parts.is_legacy(0) || parts.size_prefix)
        return std::nullopt;
    if (parts.opcode == 0x8d && parts.modrm >> 6 == 0 && (parts.modrm & 7) == relative)
        return Load{insn::reg_of(parts),
                    next() + code.read<int32_t>(parts.modrm_at + 1).value_or(0)};
    if ((parts.opcode & 0xf8) == 0xb8 && !(parts.rex & 8))
        return Load{unsigned(parts.opcode & 7) | (parts.rex & 1) << 3,
                    code.read<uint32_t>(parts.length - 4).value_or(0)};
    return std::nullopt;
}

std::optional<Instruction::Memory> Instruction::memory() const
{
    constexpr unsigned in_register = 3, has_sib = 4, relative = 5;
    unsigned mod = parts.modrm >> 6, rm = parts.modrm & 7;
    if (!parts.modrm_at || mod == in_register || (mod == 0 && rm == relative))
        return std::nullopt;
    unsigned at = parts.modrm_at + 1, base = rm;
    if (rm == has_sib) {
        uint8_t sib = code.read<uint8_t>(at++).value_or(0);
        bool has_index = (sib >> 3 & 7) != has_sib || parts.rex & 2;
        base = sib & 7;
        if (has_index || (mod == 0 && base == relative))
            return std::nullopt;
    }
    int32_t displacement = mod == 1   ? code.read<int8_t>(at).value_or(0)
                           : mod == 2 ? code.read<int32_t>(at).value_or(0)
                                      : 0;
    return Memory{base | (parts.rex & 1) << 3, displacement};
}

std::vector<Instruction> decode(const elf::Image &image, Code code)
{
    std::vector<Instruction> instructions;
    Bytes bytes = image.bytes_at(code.start, code.size()).value_or(Bytes());
    for (uint64_t at = 0; at < bytes.size();) {
        auto parts = insn::take_apart(bytes.from(at));
        if (!parts)
            break;
        instructions.push_back({code.start + at, *parts, *bytes.slice(at, parts->length)});
        at += parts->length;
    }
    return instructions;
}

bool reaches(const elf::Image &image, Code code, const std::vector<uint64_t> &vaddrs)
{
    Bytes bytes = image.bytes_at(code.start, code.size()).value_or(Bytes());
    std::set<uint64_t> seen;
    std::vector<uint64_t> waiting = {0};
    while (!waiting.empty()) {
        uint64_t at = waiting.back();
        waiting.pop_back();
        while (at < bytes.size() && seen.insert(at).second) {
            auto step = insn::step(abi::Machine::X86_64, bytes.from(at));
            if (!step)
                break;
            using insn::Flow;
            bool is_branch = step->flow == Flow::Jump || step->flow == Flow::Branch;
            if (is_branch)
                waiting.push_back(at + step->target);
            if (step->flow == Flow::Jump || step->flow == Flow::Return ||
                step->flow == Flow::JumpIndirect || step->flow == Flow::Stop)
                break;
            at += step->length;
        }
    }
    return std::all_of(vaddrs.begin(), vaddrs.end(), [&](uint64_t vaddr) {
        return vaddr >= code.start && seen.contains(vaddr - code.start);
    });
}

}  // namespace uscope::tls
