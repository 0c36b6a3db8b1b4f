// Reads the fields of a Go program's structures.
//
// A Go program contains descriptions of its types, for reflection (go/types.h). The description of
// a structure lists its fields, that of a pointer has the address of the type that it points to:
//
//     type + 23   19               kind: 25, a structure (the upper 3 bits mean other things)
//          + 48   4b4ac0           of a pointer: the address of the type it points to
//          + 56   fields, count    of a structure: the address of its list of fields, their number
//     a field                      24 bytes: the address of its name, the address of its type, its
//                                  offset in the structure
//
// (In Go's source: PtrType, StructType and StructField in internal/abi. Up to Go 1.18, the word
// with the offset is twice the offset, plus 1 for an embedded field.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/image.h"
#include "elf/pointers.h"
#include "go/types.h"

namespace uscope::go {

enum class Kind : uint8_t {  // those values of Go's reflect.Kind that this tree uses
    None,
    Bool,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uintptr = 12,
    Float32,
    Float64,
    Pointer = 22,
    String = 24,
    Struct,
};

struct Field {
    std::string_view name;
    uint64_t type;    // address of the type's description
    uint64_t offset;  // in the structure, bytes
};

// Callers name a type by the address of its description in the file. They may pass invalid
// addresses: nothing is read outside of the program's types.
class Fields {
  public:
    // Must not outlive the image.
    explicit Fields(const elf::Image &image);

    const TypeData &types() const { return types_; }
    // None or a meaningless value for an invalid address.
    Kind kind(uint64_t type) const
    {
        constexpr uint64_t kind_at = 23;
        constexpr uint8_t mask = 31;
        return Kind(types_.bytes.read<uint8_t>(type - types_.vaddr + kind_at).value_or(0) & mask);
    }
    // Returns the type to which the pointer type `pointer` points; 0 if unknown.
    uint64_t target(uint64_t pointer) const;
    uint64_t count(uint64_t structure) const;  // the number of its fields; 0 if unknown
    // Returns the field number `index`, from 0; nullopt if it cannot be read.
    std::optional<Field> read(uint64_t structure, uint64_t index) const;

  private:
    TypeData types_;
    elf::Pointers pointers_;
    bool offsets_are_shifted_;
};

}  // namespace uscope::go
