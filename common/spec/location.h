// Scans the first half of a probe, the location: finds its end and its parts.
#pragma once

#include <optional>

#include "spec/probe.h"

namespace uscope::spec {

struct Location {
    Probe probe;     // kind, names, offset, signature
    size_t end = 0;  // where predicate and format may begin
    // Column of the "(" of a signature or an empty "()", if there is one.
    std::optional<size_t> parentheses = {};
};

// `in_specifier`: ":" or "#" may follow the parentheses (spec/specifier.h).
Result<Location> scan_location(std::string_view text, bool in_specifier = false);

}  // namespace uscope::spec
