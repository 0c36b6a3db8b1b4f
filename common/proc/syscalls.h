// Names of system calls.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::proc {

// "openat"; "syscall_999" for an unknown number.
std::string syscall_name(int64_t number);

}  // namespace uscope::proc
