// URLs of HTTP servers. Where spans and metrics are sent: a URL, and the environment variables that
// OpenTelemetry defines for exporters (opentelemetry.io/docs/specs/otel/protocol/exporter).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace uscope::telemetry {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Endpoint {
    // A name in lower case, without a dot at its end, or an address without the brackets of IPv6.
    std::string host;
    uint16_t port = 4318;
    std::string path;  // "/v1/traces"; "" if the caller has none for URLs without path

    std::string url() const;  // "http://localhost:4318/v1/traces"
};

// Is the option's value a URL, and not a file?
bool is_url(std::string_view text);
// What a URL names: an example for errors, the port of URLs that have none, and how to reach a
// server that speaks TLS.
struct UrlKind {
    std::string_view example = "http://localhost:4318";
    uint16_t port = 4318;
    std::string_view instead_of_tls =
        "send to a collector on this machine by http://, which forwards with TLS";
};
// `path`: the signal's, for URLs that have none. Errors: https, for which uscope has no code, or no
// valid URL.
Result<Endpoint> parse_endpoint(std::string_view url, std::string_view path,
                                const UrlKind &kind = {});
// The URL for spans: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT with the
// signal's path after its own; http://localhost:4318 if neither is set. `signal`: "TRACES".
Result<Endpoint> endpoint_of_environment(const std::string &signal, std::string_view path);
// The headers of OTEL_EXPORTER_OTLP_HEADERS and those of the signal. Errors: a line break in one.
Result<Pairs> headers_of_environment(const std::string &signal);

// Parses "key=value,key2=value%202". Skips parts without "=".
Pairs parse_pairs(std::string_view text);

}  // namespace uscope::telemetry
