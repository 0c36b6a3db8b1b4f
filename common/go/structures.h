// Finds the offsets of members in the structures of a Go program, by their names.
//
// The offsets are in the descriptions of types that every Go program contains (go/fields.h) and
// that `strip` does not remove. So they are found without source code, debug information or the
// version of a package. The name of a structure's package follows its description:
//
//     type + 20   07             flags; 1: the description of a named type, with its package
//          + 40   name           "*url.URL"
//          + 80   d4 12 00 00    the package's name is at types + 0x12d4: "net/url"
//
// (In Go's source: UncommonType in internal/abi.)
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "go/fields.h"

namespace uscope::go {

class Structures {
  public:
    // This object must not outlive the image. Reads all types; those of a program with net/http
    // have 800 KB.
    explicit Structures(const elf::Image &image);

    // Returns the offset in bytes of a member, such as "Method" of the structure "http.Request" in
    // the package "net/http". A dot leads into an inner structure: "cw.wroteHeader" of
    // "http.response". Returns nullopt if the program's descriptions do not contain this structure
    // or member.
    std::optional<unsigned> offset(std::string_view package, std::string_view structure,
                                   std::string_view member) const;

    const TypeData &types() const { return fields_.types(); }

  private:
    std::optional<uint64_t> offset_in(uint64_t structure, std::string_view member) const;

    Fields fields_;
    // The names of all structures, and the offsets of their descriptions in types(). Not sorted:
    // there are some ten thousand, but callers look up only a dozen.
    std::vector<std::pair<std::string_view, uint64_t>> structures_;
};

}  // namespace uscope::go
