// Messages of OpenTelemetry's protocol OTLP, as protobuf or as JSON, and the spans in them
// (github.com/open-telemetry/opentelemetry-proto: trace.proto; opentelemetry.io/docs/specs/otlp):
//
//     ExportTraceServiceRequest { resource_spans { resource, scope_spans { scope, spans … } } … }
//
// A request with metrics (otlp_metrics.h) has the same structure and numbers of fields.
//
// In JSON, names are in lowerCamelCase, ids are hexadecimal, 64-bit integers are strings, and
// enumerations are numbers. Fields that are added later must be skipped by receivers, so both forms
// have no version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/cell.h"
#include "output/protobuf.h"
#include "wire/trace_parent.h"

namespace uscope::telemetry {

enum class Form : uint8_t { Protobuf, Json };

struct Span {
    enum class Kind : uint8_t { Server = 2, Client = 3 };

    uint64_t start_ns = 0, end_ns = 0;  // since 1970
    std::string name;
    Kind kind = Kind::Server;
    bool has_failed = false;
    uint32_t tgid = 0;
    std::string comm = {};         // names the process if its program's file cannot be read
    std::string traceparent = {};  // the request's header of this name; "": none
};

using Attributes = std::vector<std::pair<std::string, output::Cell>>;

// Encodes spans, one after another, into one text.
class SpanEncoder {
  public:
    explicit SpanEncoder(Form form) : form_(form) {}

    // Appends the span to `out`, as an element of scope_spans.spans.
    void add(std::string &out, const Span &span, const Attributes &attributes);

  private:
    void add_protobuf(std::string &out, const Span &span, const Attributes &attributes);
    void add_json(std::string &out, const Span &span, const Attributes &attributes) const;
    void find_ids(const Span &span);
    uint64_t random();

    Form form_;
    uint64_t state_[2] = {};  // of the random numbers; 0: not seeded yet
    bool has_parent_ = false;
    wire::TraceParent ids_ = {};  // the trace's id; the parent's span id and flags, if it has one
    uint64_t span_id_ = 0;
    output::ProtobufMessage message_, part_, value_;
};

struct Resource {
    Attributes attributes;
    std::string items;  // as SpanEncoder::add() has appended them
};

enum class Signal : uint8_t { Traces, Metrics };

// The whole request, for one batch.
std::string encode_request(Form form, Signal signal, const std::vector<Resource> &resources);

// Appends the attributes that have a value as field `field` of the message. `pair` and `value`:
// memory to use.
void add_attributes(output::ProtobufMessage &message, unsigned field, const Attributes &attributes,
                    output::ProtobufMessage &pair, output::ProtobufMessage &value);
void add_json_attributes(std::string &out, const Attributes &attributes);

// How many spans or points of metrics the collector has rejected, by its response of either form.
uint64_t rejected_items(std::string_view response);

}  // namespace uscope::telemetry
