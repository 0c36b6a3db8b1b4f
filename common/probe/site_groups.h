// Where the probes of a command line are: each with its groups of sites.
#pragma once

#include <vector>

#include "probe/program.h"

namespace uscope::probe {

// The sites of one probe that share where their arguments are or, joined, those of several probes.
struct SiteGroup {
    const ProbeRequest *probe;
    resolve::Group group;
};

// Errors: what one of them has no site for; BuildOptions::explain has added to it.
Result<std::vector<SiteGroup>> find_site_groups(
    const std::vector<std::unique_ptr<ProbeRequest>> &probes, const BuildOptions &options);

}  // namespace uscope::probe
