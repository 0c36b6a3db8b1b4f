// Finds the name of a Go type by the address of its description, to show what an interface holds.
//
// An interface is two pointers. The second one points to the value. The first one points to the
// description of the value's type; if the interface has methods, to a table whose second word
// points to this description. All descriptions are in one area of memory, the *types*. A
// description has the offset of the type's name in this area; the address of the area is in the
// runtime's own description of the program (PclnTable::module() in elf/pclntab.h):
//
//     type + 20   02            flags; 2: the stored name has an extra '*' in front
//          + 40   9a 51 00 00   the name is at types + 0x519a
//     name        01 13 '*errors.errorString'    flags, length as a varint, text
//
// Before Go 1.17, the length has two bytes, the high byte first.
//
// (In Go's source: Type and Name in internal/abi; before Go 1.20, in runtime and reflect.)
#pragma once

#include <map>
#include <optional>
#include <string>

#include "elf/image.h"
#include "go/build_info.h"

namespace uscope::go {

enum class NameLength : uint8_t { TwoBytes, Varint };

// The area with all types and their names. Offsets count from its start. `bytes` is empty if the
// area was not found.
struct TypeData {
    uint64_t vaddr = 0;
    Bytes bytes = {};
    NameLength lengths = NameLength::Varint;

    static TypeData find(const elf::Image &image);

    // Returns the text of the name that is stored at `offset`; "" if there is none.
    std::string_view text_at(uint64_t offset) const;
    // Returns the name of the type whose description is at `offset`; "" if there is none.
    std::string_view name_of(uint64_t offset) const;
};

class TypeNames {
  public:
    // This object must not outlive the image. If the program's types were not found, all names are
    // "".
    explicit TypeNames(const TypeData &types) : data_(types) {}
    explicit TypeNames(const elf::Image &image) : TypeNames(TypeData::find(image)) {}

    // Returns the name ("*errors.errorString") of the type whose description is at the virtual
    // address `vaddr` of the file; "" if there is none.
    const std::string &name(uint64_t vaddr);

  private:
    TypeData data_;
    std::map<uint64_t, std::string> names_;
};

}  // namespace uscope::go
