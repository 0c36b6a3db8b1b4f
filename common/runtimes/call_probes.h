// Makes the probes that count or time the method calls of a program: for ucalls.
#pragma once

#include <string>
#include <vector>

#include "lang/runtime.h"
#include "probe/request.h"
#include "run/tool.h"

namespace uscope::runtimes {

struct CallProbes {
    bool times = false;  // also probe returns
    bool unsafe = false;
    uint32_t string_bytes;  // of names in keys
    // The C functions that the programs call. `enter` counts a call.
    expr::EventOutput enter, leave;
    std::string measured;  // expression for ProbeRequest::measured; "": none
};

// Adds the probes of one process. Their values are the class, the method, and for languages with
// code sites the address of the method's code, or 0. Notes say which calls will be missing. Errors:
// all would be missing; or times are wanted, and returns cannot be seen.
Result<> add_call_probes(run::Tool &tool, const lang::Runtime &runtime, const CallProbes &wanted,
                         std::vector<probe::ProbeRequest> &probes);

}  // namespace uscope::runtimes
