// The kernel functions that session programs call. A session program runs at a function's entry and
// at its return.
#pragma once

#include <cstdint>

namespace uscope::expr {

// The type ids of these functions in the kernel's BTF (kernel::session_calls()).
struct SessionCalls {
    uint32_t is_return = 0;     // does the program run at the return?
    uint32_t cookie = 0;        // the address of 8 bytes that the kernel keeps for the call
    bool take_context = false;  // both functions take the context as an argument: since Linux 7.0
};

}  // namespace uscope::expr
