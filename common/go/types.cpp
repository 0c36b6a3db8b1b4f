#include "go/types.h"

#include <algorithm>

#include "elf/pclntab.h"

namespace uscope::go {

TypeNames::TypeNames(const elf::Image &image) : image_(image)
{
    auto version = version_of(image);
    auto table = elf::PclnTable::find(image);
    if (!version || !table)
        return;
    auto module = table->module(image);
    if (!module)
        return;
    // runtime.moduledata, in words; the counters of coverage tests came in between.
    uint64_t types_word = *version < Version{1, 20} ? 35 : 37;
    elf::Pointers pointers(image);
    start_ = pointers.read(*module + types_word * 8).value_or(0);
    end_ = pointers.read(*module + types_word * 8 + 8).value_or(0);
}

const std::string &TypeNames::name(uint64_t vaddr)
{
    auto [known, is_new] = names_.try_emplace(vaddr);
    if (is_new)
        known->second = read(vaddr);
    return known->second;
}

std::string TypeNames::read(uint64_t vaddr) const
{
    constexpr uint64_t flags_at = 20, name_at = 40, description_bytes = 48;
    constexpr uint8_t has_extra_star = 2;
    constexpr uint64_t longest_header = 3;  // flags, a length of two bytes
    if (vaddr < start_ || vaddr >= end_)
        return "";
    auto description = image_.bytes_at(vaddr, description_bytes);
    auto offset = description ? description->read<int32_t>(name_at) : std::nullopt;
    if (!offset || *offset <= 0 || uint64_t(*offset) >= end_ - start_)
        return "";
    auto header = image_.bytes_at(start_ + *offset, longest_header);
    if (!header)
        return "";
    uint64_t low = *header->read<uint8_t>(1), high = *header->read<uint8_t>(2);
    bool is_long = low & 0x80;
    if (is_long && high & 0x80)
        return "";
    uint64_t length = is_long ? (low & 0x7f) | high << 7 : low;
    auto text = image_.bytes_at(start_ + *offset + 2 + is_long, length);
    if (!text)
        return "";
    std::string_view name = text->text();
    bool is_starred = *description->read<uint8_t>(flags_at) & has_extra_star;
    if (is_starred && name.starts_with('*'))
        name.remove_prefix(1);
    return std::string(name);
}

}  // namespace uscope::go
