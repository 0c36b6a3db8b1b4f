// The kernel functions that session programs call. A session program runs at a function's entry and
// at its return.
#pragma once

#include <cstdint>

namespace uscope::expr {

// Their type ids in the kernel's BTF (attach::session_calls()).
struct SessionCalls {
    uint32_t is_return = 0;
    uint32_t cookie = 0;
    bool take_context = false;  // they take the context as an argument: since Linux 7.0
};

}  // namespace uscope::expr
