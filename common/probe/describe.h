// Says what is attached where, with which programs: --verbose and --dry-run.
#pragma once

#include <string>

#include "probe/set.h"

namespace uscope::probe {

std::string describe(const Set &probes);

}  // namespace uscope::probe
