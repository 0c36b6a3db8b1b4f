// What this machine lets the tools do, as `uscope doctor` reports it.
#pragma once

#include <vector>

#include "doctor/check.h"

namespace uscope::doctor {

// Reads settings, limits and privileges. Attaches nothing.
std::vector<Check> check_settings();

// Tries the features of the kernel: loads programs, and attaches them to this process's own code
// and to a function that the kernel has for tests. Nothing stays attached. Needs the privileges for
// tracing; without these, the features are Unknown.
std::vector<Check> try_features();

// May this process load programs? If not, check_settings() has a line with the reason.
bool may_trace();

// "Linux 6.18.44 x86_64"
std::string describe_kernel();

}  // namespace uscope::doctor
