// The names of HTTP/2's error codes.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::wire {

// The name of a code (RFC 9113, section 7) such as "CANCEL"; "code 99" for an unknown one.
std::string http2_error_name(uint64_t code);

}  // namespace uscope::wire
