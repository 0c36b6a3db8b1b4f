// Where a Go program has the members of its structures.
//
// It says so itself, in the descriptions of types that it has for reflection (go/types.h), which
// `strip` leaves: what it was built from, and by which Go, need not be known. Of a structure the
// description goes on with its fields; a type that has a name has its package behind that:
//
//     type + 20   07                 flags: 1, what belongs to a named type follows
//          + 23   19                 kind: 25, a structure (higher bits mean other things)
//          + 40   name               "*url.URL"
//          + 56   fields, count      the fields' address
//          + 80   d4 12 00 00        the package's name at types + 0x12d4: "net/url"
//     field       name, type, offset 8 bytes each; two addresses, and bytes from the start
//
// (internal/abi: StructType, StructField, UncommonType. Of Go 1.18 the offset is twice that, plus
// one for an embedded field.)
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "elf/image.h"
#include "elf/pointers.h"
#include "go/types.h"

namespace uscope::go {

class Structures {
  public:
    // Must not outlive the image. Reads all types: a program with net/http has 800 KB of them.
    explicit Structures(const elf::Image &image);

    // Of "net/http", "http.response", "cw.wroteHeader" (a member of a structure within it), in
    // bytes. Nothing when the program has no such type, or does not describe it.
    std::optional<unsigned> offset(std::string_view package, std::string_view structure,
                                   std::string_view member) const;

  private:
    std::optional<uint64_t> offset_in(uint64_t type, std::string_view member) const;
    bool is_structure(uint64_t type) const;

    TypeData data_;
    elf::Pointers pointers_;
    bool offsets_are_shifted_;
    std::multimap<std::string_view, uint64_t> structures_;  // by name: offset in the data
};

}  // namespace uscope::go
