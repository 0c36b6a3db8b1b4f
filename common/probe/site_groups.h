// Finds the sites of all probes of a command line, and groups those that one program can serve.
#pragma once

#include <vector>

#include "probe/program.h"

namespace uscope::probe {

// Sites of one probe whose arguments are in the same registers and memory; or sites of several
// probes that share a program (BuildOptions::joined, ProbeRequest::merge_key).
struct SiteGroup {
    const ProbeRequest *probe;  // if several probes share the group, the first of them
    resolve::Group group;
};

// Returns the groups of all probes. Errors: a probe has no site; BuildOptions::explain may add
// detail to the error.
Result<std::vector<SiteGroup>> find_site_groups(
    const std::vector<std::unique_ptr<ProbeRequest>> &probes, const BuildOptions &options);

}  // namespace uscope::probe
