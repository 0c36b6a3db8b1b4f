// How to build the programs of a probe set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "expr/process_filter.h"
#include "expr/session_calls.h"

namespace uscope::probe {

struct ProbeRequest;

struct BuildOptions {
    std::vector<pid_t> lookup;  // look files up as these processes see them
    bool any_later = false;     // also as processes see them that start later
    expr::ProcessFilter filter;
    // Does the kernel give programs an attach cookie, at user-space sites and at kernel sites?
    bool has_cookies = false, has_kernel_cookies = false;
    bool kernel_filters = false;  // if there is one process, the kernel limits uprobes to it
    uint32_t string_bytes = 80;
    std::optional<uint32_t> small_string_bytes = {};  // as in expr::ProgramRequest
    bool sleepable = false;                           // the kernel has sleepable uprobes
    // Called when a return program needs something from the entry. Returns the kernel's session
    // calls for kernel functions or for user-space functions, or nullopt if it has no sessions.
    std::function<std::optional<expr::SessionCalls>(bool is_kernel)> session;
    // For tools that look at calls but not at arguments: the sites of all similar probes share one
    // program, and each site occurs once. Each tracepoint has its own program.
    bool joined = false;
    // Several sets may share an object and its maps if all their programs have different numbers
    // and their call records have the same size (at least `least_call_bytes`).
    uint32_t first_number = 0, least_call_bytes = 0;
    uint32_t first_site_entry =
        0;  // first free index of the site table, which the sets share as well
    // Optional: adds detail to the error of a probe without sites.
    std::function<void(const ProbeRequest &, Error &)> explain;
    // Optional: called for a probe without sites. true: skip this probe.
    std::function<bool(const ProbeRequest &, const Error &)> skips;
};

}  // namespace uscope::probe
