// Finds the sites of the probes of a command line, in groups.
#pragma once

#include <vector>

#include "probe/program.h"

namespace uscope::probe {

// Sites of one probe whose arguments are in the same registers and memory; or joined sites of
// several probes.
struct SiteGroup {
    const ProbeRequest *probe;  // of joined probes: the first
    resolve::Group group;
};

// Errors: a probe has no site; BuildOptions::explain adds to the error.
Result<std::vector<SiteGroup>> find_site_groups(
    const std::vector<std::unique_ptr<ProbeRequest>> &probes, const BuildOptions &options);

}  // namespace uscope::probe
