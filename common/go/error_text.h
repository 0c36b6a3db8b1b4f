// Texts of errors from Go's standard packages, by the names of their types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::go {

// Is it a structure whose first field is the whole text?
bool begins_with_error_text(std::string_view type);

// The text of an error type without fields, which is always the same; "" for other types.
std::string_view fixed_error_text(std::string_view type);

// Go's text for a system error (syscall.Errno): that of the C library, without the capital letter.
std::string system_error_text(int64_t number);

}  // namespace uscope::go
