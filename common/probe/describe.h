// Lists the sites of probes and their generated programs.
#pragma once

#include <string>
#include <vector>

#include "probe/set.h"

namespace uscope::probe {

// For --dry-run; does not try what the kernel can do.
std::string describe(const ProbeSet &probes);
// For --verbose; also describes the attach method.
std::string describe_attached(const ProbeSet &probes);

// "c:str*", "c:mem*"
std::string quoted(const std::vector<std::string> &patterns);

// Texts for Tool::ready(), which announces what a tool traces: "3 probes",
// "2 functions for "c:str*", "c:mem*"".
std::string count_probes(const ProbeSet &probes);
std::string count_functions(const ProbeSet &probes, const std::vector<std::string> &patterns);

}  // namespace uscope::probe
