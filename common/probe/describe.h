// Says what is attached where, with which programs.
#pragma once

#include <string>

#include "probe/set.h"

namespace uscope::probe {

std::string describe(const ProbeSet &probes);           // --dry-run; asks nothing of the kernel
std::string describe_attached(const ProbeSet &probes);  // --verbose; also which way into the kernel

}  // namespace uscope::probe
