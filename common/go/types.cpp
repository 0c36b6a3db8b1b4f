// Finds the types of a Go program and reads their names.
#include "go/types.h"

#include "elf/pclntab.h"
#include "elf/pointers.h"

namespace uscope::go {
namespace {

struct Length {
    uint64_t length, bytes;  // `bytes`: those that encode the length
};

std::optional<Length> two_bytes(Bytes at)
{
    auto high = at.read<uint8_t>(0), low = at.read<uint8_t>(1);
    if (!high || !low)
        return std::nullopt;
    return Length{uint64_t(*high) << 8 | *low, 2};
}

std::optional<Length> varint(Bytes at)
{
    auto low = at.read<uint8_t>(0);
    if (!low)
        return std::nullopt;
    if (!(*low & 0x80))
        return Length{*low, 1};
    uint64_t high = at.read<uint8_t>(1).value_or(0x80);
    if (high & 0x80)
        return std::nullopt;
    return Length{(*low & 0x7fu) | high << 7, 2};
}

}  // namespace

TypeData TypeData::find(const elf::Image &image)
{
    auto version = version_of(image);
    auto table = image.go_functions();
    auto module = version && table ? table->module(image) : std::nullopt;
    if (!module)
        return {};
    // The start and the end of the types are words of runtime.moduledata; these are their indexes.
    // Go 1.16 inserted the tables of functions before them, and Go 1.20 the counters of coverage
    // tests. Go 1.27 inserted one word, the length of the descriptions, between the two.
    uint64_t start_word = *version < Version{1, 16} ? 25 : *version < Version{1, 20} ? 35 : 37;
    uint64_t end_word = start_word + (*version < Version{1, 27} ? 1 : 2);
    elf::Pointers pointers(image);
    uint64_t start = pointers.read(*module + start_word * 8).value_or(0);
    uint64_t end = pointers.read(*module + end_word * 8).value_or(0);
    if (end < start)
        return {};
    return {start, image.bytes_at(start, end - start).value_or(Bytes()),
            *version < Version{1, 17} ? NameLength::TwoBytes : NameLength::Varint};
}

std::string_view TypeData::text_at(uint64_t offset) const
{
    constexpr uint64_t flags_bytes = 1;
    Bytes name = bytes.from(offset).from(flags_bytes);
    auto length = lengths == NameLength::TwoBytes ? two_bytes(name) : varint(name);
    auto text = length ? name.slice(length->bytes, length->length) : std::nullopt;
    return text ? text->text() : "";
}

std::string_view TypeData::name_of(uint64_t offset) const
{
    constexpr uint64_t flags_at = 20, name_at = 40;
    constexpr uint8_t has_extra_star = 2;
    auto flags = bytes.read<uint8_t>(offset + flags_at);
    auto name_offset = bytes.read<int32_t>(offset + name_at);
    if (!flags || !name_offset || *name_offset <= 0)
        return "";
    std::string_view name = text_at(*name_offset);
    if (*flags & has_extra_star && name.starts_with('*'))
        name.remove_prefix(1);
    return name;
}

const std::string &TypeNames::name(uint64_t vaddr)
{
    auto [known, is_new] = names_.try_emplace(vaddr);
    if (is_new && vaddr >= data_.vaddr)
        known->second = data_.name_of(vaddr - data_.vaddr);
    return known->second;
}

}  // namespace uscope::go
