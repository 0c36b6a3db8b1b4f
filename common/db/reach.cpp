// Decodes functions for their relative branches.
#include "db/reach.h"

#include <algorithm>

#include "insn/decode.h"
#include "insn/parts.h"

namespace uscope::db {

std::optional<std::vector<Branch>> branches(Bytes function)
{
    std::vector<Branch> found;
    for (uint64_t at = 0; at < function.size();) {
        auto instruction = insn::decode(function.from(at));
        if (!instruction)
            return std::nullopt;
        uint64_t next = at + instruction->length;
        if (instruction->kind == insn::Kind::CallRelative ||
            instruction->kind == insn::Kind::JumpRelative) {
            // The distance is the instruction's last byte, or its last four.
            auto parts = insn::take_apart(function.from(at));
            bool is_short =
                parts && parts->map == 0 && parts->opcode != 0xe8 && parts->opcode != 0xe9;
            int64_t distance = is_short ? function.read<int8_t>(next - 1).value_or(0)
                                        : function.read<int32_t>(next - 4).value_or(0);
            found.push_back({at, next + distance});
        }
        at = next;
    }
    return found;
}

std::optional<elf::Function> find_one(const elf::Image &image, const std::string &name)
{
    auto found = elf::find_functions(image, name);
    if (!found || found->size() != 1)
        return std::nullopt;
    return found->front();
}

Bytes code_of(const elf::Image &image, const elf::Function &function)
{
    return image.bytes_at(function.vaddr, function.size).value_or(Bytes());
}

bool reaches(const elf::Image &image, const elf::Function &from, const elf::Function &to)
{
    auto all = branches(code_of(image, from));
    return all && std::any_of(all->begin(), all->end(), [&](const Branch &branch) {
               return from.vaddr + branch.to == to.vaddr;
           });
}

}  // namespace uscope::db
