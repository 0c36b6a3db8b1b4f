// The tables of error codes.
#include "wire/stream_errors.h"

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

std::string http3_error_name(uint64_t code)
{
    constexpr uint64_t qpack = 0x200;
    constexpr std::string_view names[] = {"NO_ERROR",
                                          "GENERAL_PROTOCOL_ERROR",
                                          "INTERNAL_ERROR",
                                          "STREAM_CREATION_ERROR",
                                          "CLOSED_CRITICAL_STREAM",
                                          "FRAME_UNEXPECTED",
                                          "FRAME_ERROR",
                                          "EXCESSIVE_LOAD",
                                          "ID_ERROR",
                                          "SETTINGS_ERROR",
                                          "MISSING_SETTINGS",
                                          "REQUEST_REJECTED",
                                          "REQUEST_CANCELLED",
                                          "REQUEST_INCOMPLETE",
                                          "MESSAGE_ERROR",
                                          "CONNECT_ERROR",
                                          "VERSION_FALLBACK"};
    constexpr std::string_view qpack_names[] = {"DECOMPRESSION_FAILED", "ENCODER_STREAM_ERROR",
                                                "DECODER_STREAM_ERROR"};
    if (uint64_t at = code - http3_no_error; at < std::size(names))
        return fmt::format("H3_{}", names[at]);
    if (uint64_t at = code - qpack; at < std::size(qpack_names))
        return fmt::format("QPACK_{}", qpack_names[at]);
    return fmt::format("code {:#x}", code);
}

}  // namespace uscope::wire
