// Lists the sites of probes and their generated programs.
#pragma once

#include <string>

#include "probe/set.h"

namespace uscope::probe {

std::string describe(const ProbeSet &probes);           // --dry-run; does not ask the kernel
std::string describe_attached(const ProbeSet &probes);  // --verbose; also the attach method

}  // namespace uscope::probe
