// Reads the descriptions of structure and pointer types.
#include "go/fields.h"

namespace uscope::go {
namespace {

constexpr uint64_t target_at = 48, fields_at = 56, count_at = 64;
constexpr uint64_t field_type = 8, field_offset = 16, field_bytes = 24;

}  // namespace

Fields::Fields(const elf::Image &image)
    : types_(TypeData::find(image)),
      pointers_(image),
      offsets_are_shifted_(version_of(image) < Version{1, 19})
{
}

uint64_t Fields::target(uint64_t pointer) const
{
    return pointers_.read(pointer + target_at).value_or(0);
}

uint64_t Fields::count(uint64_t structure) const
{
    return types_.bytes.read<uint64_t>(structure - types_.vaddr + count_at).value_or(0);
}

std::optional<Field> Fields::read(uint64_t structure, uint64_t index) const
{
    auto fields = pointers_.read(structure + fields_at);
    if (!fields)
        return std::nullopt;
    uint64_t at = *fields + index * field_bytes;
    auto name = pointers_.read(at), type = pointers_.read(at + field_type);
    auto offset = pointers_.read(at + field_offset);
    if (!name || !type || !offset)
        return std::nullopt;
    return Field{types_.text_at(*name - types_.vaddr), *type,
                 offsets_are_shifted_ ? *offset >> 1 : *offset};
}

}  // namespace uscope::go
