// The probes that some builds of Node had up to version 18, and that examples of other tools still
// name.
#pragma once

#include <string>
#include <string_view>

namespace uscope::lang {

// Returns a hint to append to an error about a missing probe: what to type instead, and what the
// probe's arguments were; "" if the file is not Node, or nothing replaces the probe. `probe`: its
// name; "": any.
std::string instead_of_node_probe(std::string_view path, std::string_view probe);

}  // namespace uscope::lang
