// Parses traceparent.
#include "wire/trace_parent.h"

#include <charconv>

#include "base/format.h"

namespace uscope::wire {
namespace {

bool parse_hex(std::string_view text, uint8_t *bytes)
{
    bool is_any = false;
    for (size_t i = 0; i < text.size() / 2; i++) {
        const char *from = text.data() + i * 2;
        auto [end, error] = std::from_chars(from, from + 2, bytes[i], 16);
        if (error != std::errc() || end != from + 2)
            return false;
        is_any |= bytes[i] != 0;
    }
    return is_any;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text)
{
    constexpr size_t length = 55, trace = 3, span = 36, flags = 53;
    TraceParent parent = {};
    uint8_t version;
    if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
        text.starts_with("ff") || (text.starts_with("00") && text.size() != length))
        return std::nullopt;
    if (!parse_hex(text.substr(trace, 32), parent.trace_id) ||
        !parse_hex(text.substr(span, 16), parent.span_id))
        return std::nullopt;
    parse_hex(text.substr(0, 2), &version);
    parse_hex(text.substr(flags, 2), &parent.flags);
    return parent;
}

std::string trace_id(std::string_view traceparent)
{
    auto parent = parse_traceparent(traceparent);
    return parent ? hex(parent->trace_id, sizeof(parent->trace_id)) : "";
}

std::string hex(const uint8_t *bytes, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count; i++)
        append_format(text, "{:02x}", bytes[i]);
    return text;
}

}  // namespace uscope::wire
