// The names of the error codes of HTTP/2 and HTTP/3.
#pragma once

#include <cstdint>
#include <string>

namespace uscope::wire {

// The name of a code of HTTP/2 (RFC 9113, section 7) such as "CANCEL"; "code 99" if unknown.
std::string http2_error_name(uint64_t code);
// The same for HTTP/3 (RFC 9114, section 8.1; RFC 9204): "H3_REQUEST_CANCELLED"; "code 0x42".
std::string http3_error_name(uint64_t code);

constexpr uint64_t http3_no_error = 0x100;

}  // namespace uscope::wire
