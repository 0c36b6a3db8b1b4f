// Finds the types and strings in BTF, and computes the sizes of records.
#include "btf/format.h"

namespace uscope::btf {

std::optional<Sections> sections(Bytes btf)
{
    auto header = btf.read<Header>(0);
    if (!header || header->magic != 0xeb9f)
        return std::nullopt;
    Bytes body = btf.from(header->header_bytes);
    auto types = body.slice(header->types_offset, header->types_bytes);
    auto strings = body.slice(header->strings_offset, header->strings_bytes);
    if (!types || !strings)
        return std::nullopt;
    return Sections{*types, *strings};
}

std::optional<uint64_t> tail_bytes(const Record &record)
{
    uint64_t members = record.members();
    switch (record.kind()) {
    case Kind::Int:
    case Kind::Variable:
    case Kind::DeclarationTag:
        return 4;
    case Kind::Array:
        return 12;
    case Kind::Struct:
    case Kind::Union:
    case Kind::Section:
    case Kind::Enum64:
        return members * 12;
    case Kind::Enum:
    case Kind::Prototype:
        return members * 8;
    case Kind::Pointer:
    case Kind::Forward:
    case Kind::Typedef:
    case Kind::Volatile:
    case Kind::Const:
    case Kind::Restrict:
    case Kind::Function:
    case Kind::Float:
    case Kind::TypeTag:
        return 0;
    default:
        return std::nullopt;
    }
}

}  // namespace uscope::btf
