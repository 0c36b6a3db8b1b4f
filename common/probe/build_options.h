// How the programs of probes are made.
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
    std::vector<pid_t> lookup;  // processes whose files are meant
    bool any_later = false;     // also those of processes that start later
    expr::ProcessFilter filter;
    // Sites have cookies, which programs can ask for: those in programs, those in the kernel.
    bool has_cookies = false, has_kernel_cookies = false;
    bool kernel_filters = false;  // uprobes are attached to the one process: no need to compare
    uint32_t string_bytes = 80;
    std::optional<uint32_t> small_string_bytes = {};  // as in expr::ProgramRequest
    bool sleepable = false;                           // the kernel has sleepable uprobes
    // Asked when a return program wants something from the entry: has the kernel session programs,
    // for functions of its own or of programs?
    std::function<std::optional<expr::SessionCalls>(bool is_kernel)> session;
    // For tools that look at calls and not at their arguments: the places of all probes that are
    // alike get one program, each place once. Tracepoints have one each.
    bool joined = false;
    // Several sets may share an object and its maps, if no two of their programs have one number,
    // and what they save of calls has the same size: at least so many bytes.
    uint32_t first_number = 0, least_call_bytes = 0;
    uint32_t first_place = 0;  // of the table of sites, which they share as well
    // Says more of an error in finding a probe's places; may be empty.
    std::function<void(const ProbeRequest &, Error &)> explain;
    // Asked about a probe that has no place: true if the others do without it. May be empty.
    std::function<bool(const ProbeRequest &, const Error &)> skips;
};

}  // namespace uscope::probe
