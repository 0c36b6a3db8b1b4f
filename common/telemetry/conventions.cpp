// Names and values by the conventions for databases and HTTP.
#include "telemetry/conventions.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace uscope::telemetry {
namespace {

bool has_failed(const wire::Request &request, bool is_server)
{
    constexpr int64_t client_error = 400, server_error = 500;
    return !request.error.empty() ||
           request.status.value_or(0) >= (is_server ? server_error : client_error);
}

}  // namespace

Span span_of(const db::Statement &statement, const output::Clock &clock)
{
    Span span;
    span.start_ns = clock.unix_ns(statement.event.start_ns);
    span.end_ns = span.start_ns + statement.event.took_ns;
    span.name = statement.summary();
    span.has_failed = statement.event.error != 0;
    span.tgid = statement.event.tgid;
    span.traceparent = statement.traceparent();
    return span;
}

Span span_of(const db::RedisCommand &command, const output::Clock &clock)
{
    Span span;
    span.end_ns = clock.unix_ns(command.event().ts_ns);
    span.start_ns = span.end_ns - command.event().took_us * 1000;
    span.name = command.name().empty() ? "redis" : command.name();
    span.has_failed = !command.error().empty();
    span.tgid = command.event().tgid;
    return span;
}

Span span_of(const wire::Request &request, bool is_server, uint64_t end_ns,
             const output::Clock &clock)
{
    Span span;
    span.end_ns = clock.unix_ns(end_ns);
    span.start_ns = span.end_ns - request.latency_ns;
    std::string_view method = http_method(request);
    span.name = method == "_OTHER" ? "HTTP" : method;
    if (!request.route.empty())
        span.name += " " + request.route;
    span.kind = is_server ? Span::Kind::Server : Span::Kind::Client;
    span.has_failed = has_failed(request, is_server);
    return span;
}

HttpServerAddress server_address(const wire::Request &request)
{
    std::string_view host = request.host;
    size_t colon = host.rfind(':');
    if (colon == host.npos || host.find(']', colon) != host.npos)
        return {std::string(host), std::nullopt};
    auto port = parse_number(host.substr(colon + 1));
    if (!port || *port > UINT16_MAX)
        return {std::string(host), std::nullopt};
    return {std::string(host.substr(0, colon)), uint16_t(*port)};
}

std::string_view http_method(const wire::Request &request)
{
    constexpr std::string_view methods[] = {"GET",     "POST",    "PUT",   "DELETE", "HEAD",
                                            "OPTIONS", "CONNECT", "TRACE", "PATCH"};
    auto *method = std::find(std::begin(methods), std::end(methods), request.method);
    return method == std::end(methods) ? "_OTHER" : *method;
}

output::Cell http_error_type(const wire::Request &request, bool is_server)
{
    if (!has_failed(request, is_server))
        return {};
    return request.status ? output::Cell(fmt::format("{}", *request.status))
                          : output::Cell("_OTHER");
}

std::string without_values(const db::RedisCommand &command)
{
    std::string text = command.name();
    for (size_t i = 1; i < std::min<size_t>(command.event().arguments, REDIS_ARGUMENTS); i++)
        text += " ?";
    return text;
}

}  // namespace uscope::telemetry
