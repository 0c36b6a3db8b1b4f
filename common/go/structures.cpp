// Searches the descriptions of structures for members.
#include "go/structures.h"

namespace uscope::go {
namespace {

constexpr uint64_t type_alignment = 8, flags_at = 20, package_at = 80;
constexpr uint8_t is_named = 1;
constexpr uint64_t max_fields = 4096;

}  // namespace

Structures::Structures(const elf::Image &image) : fields_(image)
{
    const TypeData &types = fields_.types();
    for (uint64_t at = 0; at < types.bytes.size(); at += type_alignment) {
        if (fields_.kind(types.vaddr + at) != Kind::Struct)
            continue;
        if (std::string_view name = types.name_of(at); !name.empty())
            structures_.emplace_back(name, at);
    }
}

std::optional<unsigned> Structures::offset(std::string_view package, std::string_view structure,
                                           std::string_view member) const
{
    const TypeData &types = fields_.types();
    for (const auto &[name_of, at] : structures_) {
        if (name_of != structure)
            continue;
        auto name = types.bytes.read<int32_t>(at + package_at);
        bool has_package = types.bytes.read<uint8_t>(at + flags_at).value_or(0) & is_named;
        if (has_package && name && *name > 0 && types.text_at(*name) == package)
            return offset_in(types.vaddr + at, member);
    }
    return std::nullopt;
}

std::optional<uint64_t> Structures::offset_in(uint64_t structure, std::string_view member) const
{
    size_t dot = member.find('.');
    uint64_t count = fields_.count(structure);
    for (uint64_t i = 0; i < count && count <= max_fields; i++) {
        auto field = fields_.read(structure, i);
        if (!field)
            return std::nullopt;
        if (field->name != member.substr(0, dot))
            continue;
        if (dot == member.npos)
            return field->offset;
        if (fields_.kind(field->type) != Kind::Struct)
            return std::nullopt;
        auto rest = offset_in(field->type, member.substr(dot + 1));
        return rest ? std::optional(field->offset + *rest) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace uscope::go
