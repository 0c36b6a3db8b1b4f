// Makes probe requests, like those of a command line, from the hooks of a language
// (lang/language.h).
#pragma once

#include "lang/runtime.h"
#include "probe/request.h"

namespace uscope::runtimes {

// Returns the request for a hook. Its values are those of the `roles` that the hook has, in this
// order, with names such as "class" and "method". The caller sets event_output.
Result<probe::ProbeRequest> hook_request(const lang::Runtime &runtime, const lang::Hook &hook,
                                         const std::vector<lang::Role> &roles);

// Returns the request for a probe that keeps the semaphore up while it is attached; its program
// does nothing.
Result<probe::ProbeRequest> semaphore_request(const lang::Runtime &runtime,
                                              const lang::KeptUpSemaphore &kept_up);

}  // namespace uscope::runtimes
