// Names of a Go program's types, by their addresses: what an interface holds.
//
// An interface is two pointers: to a table, whose word 1 is the type (or to the type itself, for
// interfaces without methods), and to the value. A type begins with its description; the name is
// found by an offset in it, from where all types begin, which runtime's own description of the
// program says (elf/pclntab.h):
//
//     type + 20   02            flags: 2, the name stands there with one '*' too many
//          + 40   9a 51 00 00   name at types + 0x519a
//     name        01 13 '*errors.errorString'    flags, length as a varint, text
//
// Before Go 1.17 the length is two bytes, the high one first.
//
// (internal/abi: Type, Name. Before Go 1.20 in runtime and reflect.)
#pragma once

#include <map>
#include <optional>
#include <string>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

enum class NameLength : uint8_t { TwoBytes, Varint };

// All types and their names, which offsets count from the start of. Empty when they are not found.
struct TypeData {
    uint64_t vaddr = 0;
    Bytes bytes = {};
    NameLength lengths = NameLength::Varint;

    static TypeData find(const elf::Image &image);

    // The text of the name at an offset; "" when there is none.
    std::string_view text_at(uint64_t offset) const;
    // The name of the type at an offset; the same.
    std::string_view name_of(uint64_t offset) const;
};

class TypeNames {
  public:
    // Must not outlive their image. Of a program whose types are not found nothing has a name.
    explicit TypeNames(const TypeData &types) : data_(types) {}
    explicit TypeNames(const elf::Image &image) : TypeNames(TypeData::find(image)) {}

    // The name of the type at `vaddr` of the file: "*errors.errorString"; "" when there is none.
    const std::string &name(uint64_t vaddr);

  private:
    TypeData data_;
    std::map<uint64_t, std::string> names_;
};

}  // namespace uscope::go
