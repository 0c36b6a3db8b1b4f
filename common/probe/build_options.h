// How to build the programs of a probe set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "expr/compile.h"
#include "probe/sites.h"
#include "resolve/return_policy.h"

namespace uscope::probe {

struct ProbeRequest;

struct BuildOptions {
    std::vector<pid_t> lookup;  // find files by name as these processes see them
    bool any_later = false;     // and also as processes that start later would see them
    resolve::ReturnPolicy returns;
    expr::ProcessFilter filter;
    // Does the kernel give programs an attach cookie, at user-space sites and at kernel sites?
    bool has_cookies = false, has_kernel_cookies = false;
    // Returns are single-stepped, so branches before them are better exits.
    bool steps_returns = false;
    bool kernel_filters = false;  // the kernel can limit uprobes to one process
    expr::SampledEvents sampled = {};
    uint32_t string_bytes = 80;
    std::optional<uint32_t> small_string_bytes = {};  // as in expr::ProgramRequest
    bool sleepable = false;                           // the kernel has sleepable uprobes
    // Called when a program at returns needs data that has to be saved at the entry. Returns the
    // kernel functions that session programs call, or nullopt if the kernel has no sessions at
    // kernel functions (`is_kernel`) or at user-space functions.
    std::function<std::optional<expr::SessionCalls>(bool is_kernel)> session;
    // For tools that look at calls but not at their arguments: one program serves the sites of all
    // similar probes, and handles a site only once even if several probes contain it. Each
    // tracepoint has its own program.
    bool joined = false;
    // Several probe sets may use one BPF object and its maps, if the numbers of their programs are
    // all different and their call records have the same size. `first_number`: the number of this
    // set's first program. `least_call_bytes`: the minimum size of a call record.
    struct SharedObject {
        uint32_t first_number = 0, least_call_bytes = 0;
        // Such sets also share the tables of sites; these are the entries that earlier sets use.
        SiteTableSizes first_site_entries = {};
    } shared = {};
    // Optional: adds detail to the error of a probe without sites.
    std::function<void(const ProbeRequest &, Error &)> explain;
    // Optional: called for a probe without sites. If it returns true, the probe is skipped;
    // otherwise, the build fails.
    std::function<bool(const ProbeRequest &, const Error &)> skips;
};

}  // namespace uscope::probe
