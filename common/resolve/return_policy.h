// The methods to trace the returns of functions, and what the user wants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::resolve {

// resolve/returns.h chooses one for each function.
enum class ReturnMethod : uint8_t {
    KernelProbe,  // the kernel's return probe, which replaces the return address
    ExitSites,    // probes on the exits
    GoReturns,    // probes on the return instructions of Go functions (go/returns.h)
};

struct ReturnPolicy {
    std::optional<ReturnMethod> forced;  // --force-return; not GoReturns
    bool unsafe = false;  // --unsafe: use the kernel's probe instead of refusing a function
};

std::vector<std::string> return_method_names();
// Parses one of these names.
Result<> parse_value(std::string_view text, ReturnMethod &by);

}  // namespace uscope::resolve
