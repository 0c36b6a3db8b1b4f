// The names of HTTP/2's error codes.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::wire {

// "CANCEL"; "code 99" of one that RFC 9113, section 7, does not have.
std::string http2_error_name(uint64_t code);

}  // namespace uscope::wire
