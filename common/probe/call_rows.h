// How groups of calls are called in titles, JSON and labels.
#pragma once

#include <string>
#include <vector>

#include "output/field.h"
#include "probe/calls.h"

namespace uscope::probe {

// The title of a histogram in the form of BCC: "Function = read [181]", "Process = redis-server
// 181". `between_events`: the keys are pairs of events (probe/pairs.h).
std::string call_title(const Calls &calls, bool between_events, const CallKey &key);
std::vector<output::Field<CallKey>> call_fields(const Calls &calls, bool between_events);

}  // namespace uscope::probe
