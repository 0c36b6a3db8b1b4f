// Decodes the instruction at an address, and words the error if it cannot be probed.
#include "resolve/instruction.h"

#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "base/result.h"

namespace uscope::resolve {

std::optional<Bytes> bytes_up_to(const elf::Image &image, uint64_t vaddr, uint64_t length)
{
    for (; length > 0; length--) {
        if (auto code = image.bytes_at(vaddr, length))
            return code;
    }
    return std::nullopt;
}

insn::Refusal refusal_at(const elf::Image &image, uint64_t vaddr, bool at_start)
{
    if (image.machine() != EM_X86_64)
        return insn::Refusal::None;
    auto code = bytes_up_to(image, vaddr, insn::longest);
    auto instruction = code ? insn::decode(*code) : std::nullopt;
    return instruction ? insn::refusal(*instruction, at_start) : insn::Refusal::Unknown;
}

Error refused_error(const elf::Image &image, std::string_view where, insn::Refusal refusal)
{
    return Error{fmt::format("{}: cannot probe {}: it is on an instruction that {}", image.name(),
                             where, insn::describe(refusal))};
}

}  // namespace uscope::resolve
