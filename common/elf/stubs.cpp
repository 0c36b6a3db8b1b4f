// Decodes the stubs of x86-64 and arm64.
#include "elf/stubs.h"

#include <algorithm>
#include <optional>

#include <elf.h>

#include "elf/demangle.h"
#include "elf/dynamic.h"

namespace uscope::elf {
namespace {

constexpr uint64_t stub_bytes = 16;

struct Jump {
    uint64_t begin;  // the stub's address
    uint64_t slot;   // address of the word that contains the target
};

// Decodes [endbr64]; jmp *slot(%rip) or bnd jmp *slot(%rip) at offset `at` of `code`. The
// instruction in brackets is optional. `vaddr`: the address of `code`.
std::optional<Jump> x86_jump(Bytes code, uint64_t at, uint64_t vaddr)
{
    constexpr uint32_t endbr64 = 0xfa1e0ff3;
    constexpr uint8_t bnd = 0xf2;
    constexpr uint16_t jump = 0x25ff;
    uint64_t begin = at;
    if (code.read<uint32_t>(at) == endbr64)
        at += sizeof endbr64;
    if (code.read<uint8_t>(at) == bnd)
        at++;
    auto distance = code.read<int32_t>(at + sizeof jump);
    if (code.read<uint16_t>(at) != jump || !distance)
        return std::nullopt;
    return Jump{vaddr + begin,
                vaddr + at + sizeof jump + sizeof *distance + uint64_t(int64_t(*distance))};
}

// Like x86_jump(), for [bti c]; adrp x16, page; ldr x17, [x16, offset].
std::optional<Jump> arm_jump(Bytes code, uint64_t at, uint64_t vaddr)
{
    constexpr uint32_t bti = 0xd503245f, page = 0xfff;
    uint64_t begin = at;
    if (code.read<uint32_t>(at) == bti)
        at += sizeof bti;
    auto adrp = code.read<uint32_t>(at), ldr = code.read<uint32_t>(at + sizeof *adrp);
    if (!adrp || !ldr || (*adrp & 0x9f00001f) != 0x90000010 || (*ldr & 0xffc003ff) != 0xf9400211)
        return std::nullopt;
    auto pages = int64_t(uint64_t(*adrp >> 5 & 0x7ffff) << 45) >> 43 | int64_t(*adrp >> 29 & 3);
    uint64_t offset = uint64_t(*ldr >> 10 & 0xfff) * sizeof(uint64_t);
    return Jump{vaddr + begin,
                ((vaddr + at) & ~uint64_t(page)) + uint64_t(pages) * (page + 1) + offset};
}

std::optional<Jump> jump_at(const Image &image, Bytes code, uint64_t at, uint64_t vaddr)
{
    return image.machine() == EM_AARCH64 ? arm_jump(code, at, vaddr) : x86_jump(code, at, vaddr);
}

}  // namespace

std::vector<Stub> linkage_stubs(const Image &image)
{
    std::vector<Stub> stubs;
    auto slots = symbol_slots(image);
    uint64_t step = image.machine() == EM_AARCH64 ? sizeof(uint32_t) : stub_bytes / 2;
    for (const Section &section : image.sections()) {
        auto code = image.contents(section);
        if (!section.name.starts_with(".plt") || !(section.flags & SHF_EXECINSTR) || !code)
            continue;
        for (uint64_t at = 0, next; at < code->size(); at = next) {
            next = at + step;
            auto jump = jump_at(image, *code, at, section.vaddr);
            auto slot = jump ? slots.find(jump->slot) : slots.end();
            if (slot == slots.end())
                continue;
            // The stubs in .plt.got may have only 8 bytes.
            uint64_t size = section.entry_size == stub_bytes / 2 ? section.entry_size : stub_bytes;
            stubs.push_back({jump->begin, size, demangle(slot->second.name) + "@plt"});
            next = at + size;
        }
    }
    std::sort(stubs.begin(), stubs.end(),
              [](const Stub &a, const Stub &b) { return a.vaddr < b.vaddr; });
    return stubs;
}

OwnLinks::OwnLinks(const Image &image) : image_(image), slots_(symbol_slots(image))
{
    std::erase_if(slots_, [](const auto &slot) { return slot.second.function == 0; });
}

std::optional<uint64_t> OwnLinks::target(uint64_t vaddr) const
{
    if (slots_.empty())
        return std::nullopt;
    auto code = image_.bytes_at(vaddr, stub_bytes);
    auto jump = code ? jump_at(image_, *code, 0, vaddr) : std::nullopt;
    auto slot = jump ? slots_.find(jump->slot) : slots_.end();
    return slot == slots_.end() ? std::nullopt : std::optional(slot->second.function);
}

}  // namespace uscope::elf
