// Scans the location, which is the first part of a probe: finds where it ends, and splits it.
#pragma once

#include <optional>
#include <span>

#include "spec/probe.h"

namespace uscope::spec {

// A word before the first colon of a location, which says what kind of probe it is.
struct KindName {
    std::string_view text;
    ProbeKind kind;
    bool kernel;  // without FILE, the function is the kernel's
};
std::span<const KindName> kind_names();

struct Location {
    Probe probe;     // only its kind, names, offset and signature
    size_t end = 0;  // where predicate and format may begin
    // Column of the "(" of a signature or an empty "()", if there is one.
    std::optional<size_t> parentheses = {};
};

// `in_specifier`: the text is a specifier (spec/specifier.h), so ":", "#" or ";" may directly
// follow the parentheses.
Result<Location> scan_location(std::string_view text, bool in_specifier = false);

// Returns the text from `begin` to `end`, without blanks at its start and end.
Piece piece_of(std::string_view text, size_t begin, size_t end);

}  // namespace uscope::spec
