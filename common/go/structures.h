// Where a Go program has the members of its structures.
//
// It says so itself, in the descriptions of types (go/fields.h), which `strip` leaves: what it was
// built from, and by which Go, need not be known. Behind the description of a structure that has a
// name is its package:
//
//     type + 20   07             flags: 1, what belongs to a named type follows
//          + 40   name           "*url.URL"
//          + 80   d4 12 00 00    the package's name at types + 0x12d4: "net/url"
//
// (internal/abi: UncommonType.)
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "go/fields.h"

namespace uscope::go {

class Structures {
  public:
    // Must not outlive the image. Reads all types: a program with net/http has 800 KB of them.
    explicit Structures(const elf::Image &image);

    // Of "net/http", "http.response", "cw.wroteHeader" (a member of a structure within it), in
    // bytes. Nothing when the program has no such type, or does not describe it.
    std::optional<unsigned> offset(std::string_view package, std::string_view structure,
                                   std::string_view member) const;

    const TypeData &types() const { return fields_.types(); }

  private:
    std::optional<uint64_t> offset_in(uint64_t structure, std::string_view member) const;

    Fields fields_;
    // The names of all, and where they are in the types. A dozen of some ten thousand is asked for, so that
    // sorting them would cost more than it saves.
    std::vector<std::pair<std::string_view, uint64_t>> structures_;
};

}  // namespace uscope::go
