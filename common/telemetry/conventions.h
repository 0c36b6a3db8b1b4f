// Spans by OpenTelemetry's semantic conventions: names, kinds and times. (Attributes are in the
// lists of fields.)
//
// A statement's span has the kind Server, because the server is observed, and not its client: it
// becomes a child of the client's span if the statement has a comment of sqlcommenter with a
// traceparent.
#pragma once

#include "db/redis_command.h"
#include "db/statement_texts.h"
#include "output/clock.h"
#include "telemetry/otlp.h"
#include "wire/exchange.h"
#include "wire/request.h"

namespace uscope::telemetry {

Span span_of(const db::Statement &statement, const output::Clock &clock);
Span span_of(const db::RedisCommand &command, const output::Clock &clock);
// `end_ns`: CLOCK_MONOTONIC.
Span span_of(const wire::Request &request, bool is_server, uint64_t end_ns,
             const output::Clock &clock);

// The values of attributes.
struct HttpServerAddress {
    std::string host;
    std::optional<uint16_t> port;
};
HttpServerAddress server_address(const wire::Request &request);
// The method, or "_OTHER" for one that no standard defines.
std::string_view http_method(const wire::Request &request);
// "500", or "_OTHER" if there was no response; no value if the request did not fail. For a server,
// a status below 500 is no failure.
output::Cell http_error_type(const wire::Request &request, bool is_server);
// The command's text without values: "set ? ?"
std::string without_values(const db::RedisCommand &command);

}  // namespace uscope::telemetry
