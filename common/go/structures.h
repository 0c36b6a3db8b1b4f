// Finds the offsets of members in the structures of a Go program.
//
// The program's descriptions of types (go/fields.h) have them, and `strip` does not remove these.
// So neither the source nor the version of Go has to be known. The description of a named structure
// is followed by its package:
//
//     type + 20   07             flags: 1, the data of a named type follows
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

    // Returns the offset in bytes, for "net/http", "http.response", "cw.wroteHeader" (a member of
    // an inner structure); nullopt if the program does not have or does not describe this type or
    // member.
    std::optional<unsigned> offset(std::string_view package, std::string_view structure,
                                   std::string_view member) const;

    const TypeData &types() const { return fields_.types(); }

  private:
    std::optional<uint64_t> offset_in(uint64_t structure, std::string_view member) const;

    Fields fields_;
    // Names of all structures, and their offsets in the types. Not sorted: of some ten thousand,
    // callers look up a dozen.
    std::vector<std::pair<std::string_view, uint64_t>> structures_;
};

}  // namespace uscope::go
