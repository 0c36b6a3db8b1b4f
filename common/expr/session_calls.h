// What a program that runs at a function's entry and return calls.
#pragma once

#include <cstdint>

namespace uscope::expr {

// Kernel functions that a session program calls, by their numbers in the kernel's BTF
// (attach::session_calls()).
struct SessionCalls {
    uint32_t is_return = 0;
    uint32_t cookie = 0;
    bool take_context = false;  // since Linux 7.0
};

}  // namespace uscope::expr
