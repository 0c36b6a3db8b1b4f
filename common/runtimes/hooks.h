// Probes of a language's table (lang/language.h) as those of a command line.
#pragma once

#include "lang/runtime.h"
#include "probe/request.h"

namespace uscope::runtimes {

// The hook's probe, with the values that it has of `roles`, in their order. value_texts are their
// names: "class", "method". The event_output is the caller's.
Result<probe::ProbeRequest> parse_hook(const lang::Runtime &runtime, const lang::Hook &hook,
                                       const std::vector<lang::Role> &roles);

// Where the semaphore is held up as long as it is attached; its program does nothing.
Result<probe::ProbeRequest> parse_kept_up_semaphore(const lang::Runtime &runtime,
                                                    const lang::KeptUpSemaphore &kept_up);

}  // namespace uscope::runtimes
