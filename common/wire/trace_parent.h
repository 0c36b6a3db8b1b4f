// Reads the header "traceparent", by which programs tell the parent of a span
// (w3.org/TR/trace-context): "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace uscope::wire {

struct TraceParent {
    uint8_t trace_id[16], span_id[8], flags;
};
std::optional<TraceParent> parse_traceparent(std::string_view text);

// Returns the trace's id in hexadecimal; "" if the text is not such a header.
std::string trace_id(std::string_view traceparent);

// Bytes in hexadecimal.
std::string hex(const uint8_t *bytes, size_t count);

}  // namespace uscope::wire
