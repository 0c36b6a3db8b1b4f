// Names of system calls.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::proc {

// "openat"; of a number that is not known, "syscall_999".
std::string syscall_name(int64_t number);

}  // namespace uscope::proc
