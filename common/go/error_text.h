// Knows the errors of Go's standard packages: where their texts are, by the names of their types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::go {

// Is an error of this type a pointer to a structure whose first field is the whole text of the
// error? `type`: "*errors.errorString".
bool begins_with_error_text(std::string_view type);

// Returns the text of an error if its type determines the text: "i/o timeout" for
// "*net.timeoutError". Returns "" for other types.
std::string_view fixed_error_text(std::string_view type);

// Returns Go's text for an errno (syscall.Errno): that of the C library, in lower case at the
// start.
std::string system_error_text(int64_t number);

}  // namespace uscope::go
