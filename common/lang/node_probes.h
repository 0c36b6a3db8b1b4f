// The probes that Node had until version 18, in builds of its own: other tools' examples still name them.
#pragma once

#include <string>
#include <string_view>

namespace uscope::lang {

// For an error about a file or process without such a probe: what to type instead, with what the
// probe's arguments were; "" when the file is no Node, or nothing replaces the probe. `probe`: "" is any.
std::string instead_of_node_probe(std::string_view path, std::string_view probe);

}  // namespace uscope::lang
