// Finds the types of a Go program and reads their names.
#include "go/types.h"

#include "elf/pclntab.h"
#include "elf/pointers.h"

namespace uscope::go {
namespace {

struct EncodedLength {
    uint64_t value, encoded_bytes;  // `encoded_bytes`: the size of the encoded length itself
};

std::optional<EncodedLength> read_two_byte_length(Bytes at)
{
    auto high = at.read<uint8_t>(0), low = at.read<uint8_t>(1);
    if (!high || !low)
        return std::nullopt;
    return EncodedLength{uint64_t(*high) << 8 | *low, 2};
}

std::optional<EncodedLength> read_varint_length(Bytes at)
{
    auto low = at.read<uint8_t>(0);
    if (!low)
        return std::nullopt;
    if (!(*low & 0x80))
        return EncodedLength{*low, 1};
    uint64_t high = at.read<uint8_t>(1).value_or(0x80);
    if (high & 0x80)
        return std::nullopt;
    return EncodedLength{(*low & 0x7fu) | high << 7, 2};
}

}  // namespace

TypeData TypeData::find(const elf::Image &image)
{
    auto version = version_of(image);
    auto table = image.go_functions();
    auto module = version && table ? table->module(image) : std::nullopt;
    if (!module)
        return {};
    // Two words of runtime.moduledata hold the start and the end of the types; find their indexes.
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
    auto length =
        lengths == NameLength::TwoBytes ? read_two_byte_length(name) : read_varint_length(name);
    auto text = length ? name.slice(length->encoded_bytes, length->value) : std::nullopt;
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
