// Names of a Go program's types, by their addresses: to name what an interface holds.
//
// An interface is two pointers: to a table whose word 1 is the type (or to the type itself, for
// interfaces without methods), and to the value. A type's description has the offset of its name
// from the start of all types; the runtime's own description of the program has the address of this
// start (elf/pclntab.h):
//
//     type + 20   02            flags: 2, the name has an extra '*' in front
//          + 40   9a 51 00 00   name at types + 0x519a
//     name        01 13 '*errors.errorString'    flags, length as a varint, text
//
// Before Go 1.17, the length is two bytes, high byte first.
//
// (internal/abi: Type, Name; before Go 1.20, runtime and reflect.)
#pragma once

#include <map>
#include <optional>
#include <string>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

enum class NameLength : uint8_t { TwoBytes, Varint };

// The memory with all types and their names; offsets are relative to its start. Empty if not found.
struct TypeData {
    uint64_t vaddr = 0;
    Bytes bytes = {};
    NameLength lengths = NameLength::Varint;

    static TypeData find(const elf::Image &image);

    // The text of the name at an offset; "" if there is none.
    std::string_view text_at(uint64_t offset) const;
    // The name of the type at an offset; "" if there is none.
    std::string_view name_of(uint64_t offset) const;
};

class TypeNames {
  public:
    // Must not outlive the image. If the program's types are not found, all names are "".
    explicit TypeNames(const TypeData &types) : data_(types) {}
    explicit TypeNames(const elf::Image &image) : TypeNames(TypeData::find(image)) {}

    // The name of the type at `vaddr` of the file: "*errors.errorString"; "" if there is none.
    const std::string &name(uint64_t vaddr);

  private:
    TypeData data_;
    std::map<uint64_t, std::string> names_;
};

}  // namespace uscope::go
