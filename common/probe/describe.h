// Lists the sites of probes and their generated programs.
#pragma once

#include <string>
#include <vector>

#include "probe/set.h"

namespace uscope::probe {

std::string describe(const ProbeSet &probes);           // --dry-run; does not ask the kernel
std::string describe_attached(const ProbeSet &probes);  // --verbose; also the attach method

// "c:str*", "c:mem*"
std::string quoted(const std::vector<std::string> &patterns);

// What a tool traces, for Tool::ready(): "3 probes", "2 functions for "c:str*", "c:mem*"".
std::string count_probes(const ProbeSet &probes);
std::string count_functions(const ProbeSet &probes, const std::vector<std::string> &patterns);

}  // namespace uscope::probe
