#include "go/structures.h"

namespace uscope::go {
namespace {

constexpr uint64_t alignment = 8;
constexpr uint64_t flags_at = 20, kind_at = 23, fields_at = 56, count_at = 64, package_at = 80;
constexpr uint8_t is_named = 1, kind_mask = 31, structure_kind = 25;
constexpr uint64_t field_type = 8, field_offset = 16, field_bytes = 24;
constexpr uint64_t most_fields = 4096;

}  // namespace

Structures::Structures(const elf::Image &image)
    : data_(TypeData::find(image)),
      pointers_(image),
      offsets_are_shifted_(version_of(image) < Version{1, 19})
{
    for (uint64_t at = 0; at < data_.bytes.size(); at += alignment) {
        if (!is_structure(at))
            continue;
        if (std::string_view name = data_.name_of(at); !name.empty())
            structures_.emplace(name, at);
    }
}

bool Structures::is_structure(uint64_t type) const
{
    return (data_.bytes.read<uint8_t>(type + kind_at).value_or(0) & kind_mask) == structure_kind;
}

std::optional<unsigned> Structures::offset(std::string_view package, std::string_view structure,
                                           std::string_view member) const
{
    for (auto [at, end] = structures_.equal_range(structure); at != end; ++at) {
        uint64_t type = at->second;
        auto name = data_.bytes.read<int32_t>(type + package_at);
        bool has_package = data_.bytes.read<uint8_t>(type + flags_at).value_or(0) & is_named;
        if (has_package && name && *name > 0 && data_.text_at(*name) == package)
            return offset_in(type, member);
    }
    return std::nullopt;
}

std::optional<uint64_t> Structures::offset_in(uint64_t type, std::string_view member) const
{
    size_t dot = member.find('.');
    uint64_t count = data_.bytes.read<uint64_t>(type + count_at).value_or(0);
    auto fields = pointers_.read(data_.vaddr + type + fields_at);
    if (!fields || count > most_fields)
        return std::nullopt;
    for (uint64_t field = *fields; count--; field += field_bytes) {
        auto name = pointers_.read(field), inner = pointers_.read(field + field_type);
        auto offset = pointers_.read(field + field_offset);
        if (!name || !inner || !offset)
            return std::nullopt;
        if (data_.text_at(*name - data_.vaddr) != member.substr(0, dot))
            continue;
        if (offsets_are_shifted_)
            *offset >>= 1;
        if (dot == member.npos)
            return offset;
        auto rest = is_structure(*inner - data_.vaddr)
                        ? offset_in(*inner - data_.vaddr, member.substr(dot + 1))
                        : std::nullopt;
        if (rest)
            *rest += *offset;
        return rest;
    }
    return std::nullopt;
}

}  // namespace uscope::go
