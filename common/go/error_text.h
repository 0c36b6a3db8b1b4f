// What errors of Go's own packages say, by their types' names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::go {

// Is it a structure that begins with the whole text?
bool begins_with_error_text(std::string_view type);

// Of those that have nothing, and always say the same; "" of others.
std::string_view fixed_error_text(std::string_view type);

// What Go calls an error of the system (syscall.Errno): as the C library, without a capital letter.
std::string system_error_text(int64_t number);

}  // namespace uscope::go
