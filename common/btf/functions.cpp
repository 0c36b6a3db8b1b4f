#include "btf/functions.h"

#include <algorithm>
#include <cstring>

namespace uscope::btf {
namespace {

struct Header {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t header_bytes, types_offset, types_bytes, strings_offset, strings_bytes;
};

struct Type {
    uint32_t name, info, type;

    uint32_t kind() const { return info >> 24 & 31; }
    uint32_t members() const { return info & 0xffff; }
    bool operator==(const Type &) const = default;
};

// enum btf_kind's FUNC and FUNC_PROTO (include/uapi/linux/btf.h).
constexpr uint32_t function_kind = 12, prototype_kind = 13;

// What follows a type of that kind; nothing when the kind is not known.
std::optional<uint64_t> tail_bytes(const Type &type)
{
    uint64_t members = type.members();
    switch (type.kind()) {
    case 1:   // INT
    case 14:  // VAR
    case 17:  // DECL_TAG
        return 4;
    case 3:  // ARRAY
        return 12;
    case 4:   // STRUCT
    case 5:   // UNION
    case 15:  // DATASEC
    case 19:  // ENUM64
        return members * 12;
    case 6:  // ENUM
    case prototype_kind:
        return members * 8;
    case 2:   // PTR
    case 7:   // FWD
    case 8:   // TYPEDEF
    case 9:   // VOLATILE
    case 10:  // CONST
    case 11:  // RESTRICT
    case function_kind:
    case 16:  // FLOAT
    case 18:  // TYPE_TAG
        return 0;
    default:
        return std::nullopt;
    }
}

// Calls `visit(number, type)` for each type until it returns false.
template <class Visit>
void each_type(Bytes types, Visit visit)
{
    uint64_t offset = 0;
    for (uint32_t number = 1;; number++) {
        auto type = types.read<Type>(offset);
        if (!type || !visit(number, *type))
            return;
        auto tail = tail_bytes(*type);
        if (!tail)
            return;
        offset += sizeof(Type) + *tail;
    }
}

// The offset of a whole string; 0, the empty one's, when there is none.
uint32_t find_string(Bytes strings, const std::string &name)
{
    if (strings.empty())
        return 0;
    std::string whole = '\0' + name + '\0';
    auto *place = static_cast<const uint8_t *>(
        memmem(strings.data(), strings.size(), whole.data(), whole.size()));
    return place ? place + 1 - strings.data() : 0;
}

}  // namespace

std::vector<std::optional<Function>> find_functions(Bytes btf,
                                                    const std::vector<std::string> &names)
{
    std::vector<std::optional<Function>> functions(names.size());
    auto header = btf.read<Header>(0);
    if (!header || header->magic != 0xeb9f)
        return functions;
    Bytes behind = btf.from(header->header_bytes);
    auto types = behind.slice(header->types_offset, header->types_bytes);
    auto strings = behind.slice(header->strings_offset, header->strings_bytes);
    if (!types || !strings)
        return functions;

    std::vector<uint32_t> wanted;
    for (const std::string &name : names)
        wanted.push_back(find_string(*strings, name));
    std::vector<std::optional<Type>> found(names.size());
    uint32_t last_prototype = 0;
    each_type(*types, [&](uint32_t number, const Type &type) {
        if (type.kind() != function_kind || type.name == 0)
            return true;
        auto match = std::find(wanted.begin(), wanted.end(), type.name);
        if (match == wanted.end())
            return true;
        size_t i = match - wanted.begin();
        found[i] = type;
        functions[i] = Function{.id = number};
        last_prototype = std::max(last_prototype, type.type);
        return std::find(found.begin(), found.end(), std::nullopt) != found.end();
    });
    each_type(*types, [&](uint32_t number, const Type &type) {
        for (size_t i = 0; i < found.size(); i++) {
            if (found[i] && found[i]->type == number && type.kind() == prototype_kind)
                functions[i]->parameters = type.members();
        }
        return number < last_prototype;
    });
    return functions;
}

}  // namespace uscope::btf
