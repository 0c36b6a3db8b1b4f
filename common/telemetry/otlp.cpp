// Encodes spans, their attributes and resources.
#include "telemetry/otlp.h"

#include <charconv>
#include <cstring>
#include <functional>
#include <optional>

#include <endian.h>
#include <sys/random.h>

#include "base/format.h"
#include "output/escape.h"
#include "output/json.h"

namespace uscope::telemetry {
namespace {

using output::Cell, output::JsonObject, output::ProtobufMessage;

constexpr int status_error = 2;
// In Span.flags: the flags of the header, and that it is known whether the parent is in another
// process, which it is.
constexpr uint32_t has_is_remote = 0x100, is_remote = 0x200;
constexpr std::string_view scope_name = "uscope";

std::string valid(std::string_view text)
{
    std::string out;
    output::append_valid_utf8(out, text);
    return out;
}

// AnyValue
void add_value(ProtobufMessage &value, const Cell &cell)
{
    enum { String = 1, Bool = 2, Int = 3, Double = 4 };
    switch (cell.kind) {
    case Cell::Kind::None:
        return;
    case Cell::Kind::Signed:
    case Cell::Kind::Unsigned:
        return value.number(Int, uint64_t(cell.integer()));
    case Cell::Kind::Real:
        return value.real(Double, cell.real());
    case Cell::Kind::Bool:
        return value.number(Bool, cell.integer() != 0);
    default:
        return value.bytes(String, valid(cell.text()));
    }
}

void add_json_value(std::string &out, const Cell &cell)
{
    JsonObject value(out);
    switch (cell.kind) {
    case Cell::Kind::Signed:
    case Cell::Kind::Unsigned:
        value.add("intValue", fmt::format("{}", cell.integer()));
        break;
    case Cell::Kind::Real:
        value.add("doubleValue", Cell(cell.real(), 17));
        break;
    case Cell::Kind::Bool:
        value.add("boolValue", cell);
        break;
    default:
        value.add("stringValue", cell.text());
    }
    value.end();
}

std::string protobuf_request(const std::vector<Resource> &resources)
{
    ProtobufMessage request, pair, value;
    for (const Resource &resource : resources) {
        ProtobufMessage attributes, scope, head;
        add_attributes(attributes, 1, resource.attributes, pair, value);
        scope.bytes(1, scope_name);
        scope.bytes(2, USCOPE_VERSION);
        head.bytes(1, scope.text());
        size_t scope_bytes = head.text().size() + resource.items.size();
        ProtobufMessage start;
        start.bytes(1, attributes.text());
        start.begin_bytes(2, scope_bytes);
        request.begin_bytes(1, start.text().size() + scope_bytes);
        for (const std::string &part :
             {std::cref(start.text()), std::cref(head.text()), std::cref(resource.items)})
            request.append(part);
    }
    return request.text();
}

std::string json_request(Signal signal, const std::vector<Resource> &resources)
{
    struct Keys {
        std::string_view resources, scopes, items;
    };
    constexpr Keys traces = {"resourceSpans", "scopeSpans", "spans"},
                   metrics = {"resourceMetrics", "scopeMetrics", "metrics"};
    const Keys &keys = signal == Signal::Traces ? traces : metrics;
    std::string text;
    JsonObject request(text);
    auto add_resource = [&keys](std::string &out, const Resource &resource) {
        JsonObject object(out);
        JsonObject attributes(object.member("resource"));
        add_json_attributes(attributes.member("attributes"), resource.attributes);
        attributes.end();
        std::string &list = object.member(keys.scopes);
        list += '[';
        JsonObject spans(list);
        JsonObject scope(spans.member("scope"));
        scope.add("name", scope_name).add("version", USCOPE_VERSION);
        scope.end();
        spans.member(keys.items).append("[").append(resource.items).append("]");
        spans.end();
        list += ']';
        object.end();
    };
    output::append_json_array(request.member(keys.resources), resources, add_resource);
    request.end();
    return text;
}

// Reads a varint at the start of `text`, and removes it.
std::optional<uint64_t> take_varint(std::string_view &text)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
        uint8_t byte = text[0];
        text.remove_prefix(1);
        value |= uint64_t(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

}  // namespace

void add_attributes(ProtobufMessage &message, unsigned field, const Attributes &attributes,
                    ProtobufMessage &pair, ProtobufMessage &value)
{
    for (const auto &[name, cell] : attributes) {
        if (cell.is_none())
            continue;
        pair.clear();
        value.clear();
        add_value(value, cell);
        pair.bytes(1, name);
        pair.bytes(2, value.text());
        message.bytes(field, pair.text());
    }
}

void add_json_attributes(std::string &out, const Attributes &attributes)
{
    out += '[';
    bool any = false;
    for (const auto &[name, cell] : attributes) {
        if (cell.is_none())
            continue;
        if (std::exchange(any, true))
            out += ',';
        JsonObject pair(out);
        pair.add("key", name);
        add_json_value(pair.member("value"), cell);
        pair.end();
    }
    out += ']';
}

// xorshift128+, seeded by the kernel: ids need to be unique, not secret.
uint64_t SpanEncoder::random()
{
    while (!state_[0] && !state_[1])
        [[maybe_unused]] ssize_t got = getrandom(state_, sizeof(state_), 0);
    uint64_t x = state_[0], y = state_[1];
    state_[0] = y;
    x ^= x << 23;
    state_[1] = x ^ y ^ (x >> 17) ^ (y >> 26);
    return state_[1] + y;
}

void SpanEncoder::find_ids(const Span &span)
{
    auto parent = wire::parse_traceparent(span.traceparent);
    has_parent_ = parent.has_value();
    if (parent) {
        ids_ = *parent;
    } else {
        uint64_t id[2] = {random() | 1, random()};  // never 0, which is invalid
        memcpy(ids_.trace_id, id, sizeof(id));
    }
    span_id_ = random() | 1;
}

void SpanEncoder::add(std::string &out, const Span &span, const Attributes &attributes)
{
    find_ids(span);
    if (form_ == Form::Protobuf)
        add_protobuf(out, span, attributes);
    else
        add_json(out, span, attributes);
}

void SpanEncoder::add_protobuf(std::string &out, const Span &span, const Attributes &attributes)
{
    auto text = [](const auto &bytes) {
        return std::string_view(reinterpret_cast<const char *>(&bytes), sizeof(bytes));
    };
    message_.clear();
    message_.bytes(1, text(ids_.trace_id));
    message_.bytes(2, text(span_id_));
    if (has_parent_) {
        message_.bytes(4, text(ids_.span_id));
        message_.fixed32(16, ids_.flags | has_is_remote | is_remote);
    }
    message_.bytes(5, valid(span.name));
    message_.number(6, uint64_t(span.kind));
    message_.fixed64(7, span.start_ns);
    message_.fixed64(8, span.end_ns);
    add_attributes(message_, 9, attributes, part_, value_);
    if (span.has_failed) {
        part_.clear();
        part_.number(3, status_error);
        message_.bytes(15, part_.text());
    }
    part_.clear();
    part_.begin_bytes(2, message_.text().size());
    out.append(part_.text()).append(message_.text());
}

void SpanEncoder::add_json(std::string &out, const Span &span, const Attributes &attributes) const
{
    if (!out.empty())
        out += ',';
    JsonObject object(out);
    object.add("traceId", wire::hex(ids_.trace_id, sizeof(ids_.trace_id)));
    object.add("spanId", wire::hex(reinterpret_cast<const uint8_t *>(&span_id_), sizeof(span_id_)));
    if (has_parent_) {
        object.add("parentSpanId", wire::hex(ids_.span_id, sizeof(ids_.span_id)));
        object.add("flags", ids_.flags | has_is_remote | is_remote);
    }
    object.add("name", span.name).add("kind", int(span.kind));
    object.add("startTimeUnixNano", fmt::format("{}", span.start_ns));
    object.add("endTimeUnixNano", fmt::format("{}", span.end_ns));
    add_json_attributes(object.member("attributes"), attributes);
    if (span.has_failed) {
        JsonObject status(object.member("status"));
        status.add("code", status_error).end();
    }
    object.end();
}

std::string encode_request(Form form, Signal signal, const std::vector<Resource> &resources)
{
    return form == Form::Protobuf ? protobuf_request(resources) : json_request(signal, resources);
}

// partial_success is field 1 of the response, and rejected_spans or rejected_data_points field 1 in
// it. It comes first, as writers of protobuf order fields by number.
uint64_t rejected_items(std::string_view response)
{
    if (size_t key = response.find("\"rejected"); key != response.npos) {
        size_t digits = response.find_first_of("0123456789", key);
        uint64_t count = 0;
        if (digits != response.npos)
            std::from_chars(response.data() + digits, response.data() + response.size(), count);
        return count;
    }
    if (!response.starts_with("\x0a"))
        return 0;
    response.remove_prefix(1);
    if (!take_varint(response) || !response.starts_with("\x08"))
        return 0;
    response.remove_prefix(1);
    return take_varint(response).value_or(0);
}

}  // namespace uscope::telemetry
