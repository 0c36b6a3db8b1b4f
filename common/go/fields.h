// Reads the fields of a Go program's structures.
//
// A program describes its types for reflection (go/types.h). The description of a structure goes on
// with its fields, that of a pointer with the type that it points to:
//
//     type + 23   19               kind: 25, a structure (higher bits mean other things)
//          + 48   4b4ac0           pointer: the type it points to
//          + 56   fields, count    structure: the fields' address and number
//     field       name, type, offset 8 bytes each: two addresses, and bytes from the start
//
// (internal/abi: PtrType, StructType, StructField. Until Go 1.18, the offset is stored doubled,
// plus 1 for an embedded field.)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "elf/image.h"
#include "elf/pointers.h"
#include "go/types.h"

namespace uscope::go {

enum class Kind : uint8_t {  // the values of reflect.Kind that are needed
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
    uint64_t type;    // its address
    uint64_t offset;  // in the structure, bytes
};

// Types are passed by their addresses. Invalid addresses are allowed.
class Fields {
  public:
    // Must not outlive the image.
    explicit Fields(const elf::Image &image);

    const TypeData &types() const { return types_; }
    Kind kind(uint64_t type) const
    {
        constexpr uint64_t kind_at = 23;
        constexpr uint8_t mask = 31;
        return Kind(types_.bytes.read<uint8_t>(type - types_.vaddr + kind_at).value_or(0) & mask);
    }
    // The type that a pointer points to; 0 if unknown.
    uint64_t target(uint64_t pointer) const;
    uint64_t count(uint64_t structure) const;  // of its fields
    // Returns field `index`, or nullopt if it cannot be read.
    std::optional<Field> read(uint64_t structure, uint64_t index) const;

  private:
    TypeData types_;
    elf::Pointers pointers_;
    bool offsets_are_shifted_;
};

}  // namespace uscope::go
