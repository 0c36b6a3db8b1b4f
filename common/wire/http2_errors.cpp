// The table of HTTP/2's error codes.
#include "wire/http2_errors.h"

#include <string_view>

#include "base/format.h"

namespace uscope::wire {

std::string http2_error_name(uint64_t code)
{
    constexpr std::string_view names[] = {"NO_ERROR",
                                          "PROTOCOL_ERROR",
                                          "INTERNAL_ERROR",
                                          "FLOW_CONTROL_ERROR",
                                          "SETTINGS_TIMEOUT",
                                          "STREAM_CLOSED",
                                          "FRAME_SIZE_ERROR",
                                          "REFUSED_STREAM",
                                          "CANCEL",
                                          "COMPRESSION_ERROR",
                                          "CONNECT_ERROR",
                                          "ENHANCE_YOUR_CALM",
                                          "INADEQUATE_SECURITY",
                                          "HTTP_1_1_REQUIRED"};
    return code < std::size(names) ? std::string(names[code]) : fmt::format("code {}", code);
}

}  // namespace uscope::wire
