// Declares and checks the options that select requests, and applies them to a request.
#include "http/filter.h"

#include <cstring>

#include "base/text.h"
#include "wire/head.h"

namespace uscope::http {

namespace {

bool is_status(std::string_view text)
{
    return text == "error" || (text.size() == 3 && text[0] >= '1' && text[0] <= '5' &&
                               (text.ends_with("xx") || parse_number(text)));
}

bool has_status(const wire::Request &request, std::string_view status)
{
    if (status == "error")
        return !request.error.empty();
    if (!request.status)
        return false;
    return status.ends_with("xx") ? *request.status / 100 == status[0] - '0'
                                  : *request.status == parse_number(status);
}

}  // namespace

void Filter::declare(run::Tool &tool)
{
    tool.option(0, "method", run::List{methods}, "METHOD[,METHOD]",
                "only these methods: GET, post");
    tool.option(0, "host", run::List{hosts}, "PATTERN[,PATTERN]",
                "only hosts that match: '*.example.org*'");
    tool.option(0, "path", paths, "PREFIX", "only paths that start with PREFIX; may be repeated");
    tool.option(0, "status", run::List{statuses}, "STATUS[,STATUS]",
                "only these statuses: 404, 5xx, or error (no response, or incomplete)");
    tool.option('m', "min,min-ms", run::Duration{min_ns, 1'000'000}, "TIME",
                "only requests that take at least TIME, such as 10ms (default unit: ms)");
}

Result<> Filter::check() const
{
    for (const std::string &method : methods)
        if (!wire::is_method(method))
            return fail_usage(
                "--method: \"{}\" is not a method; use one word such as GET, or omit --method to "
                "see all",
                method);
    for (const std::string &status : statuses)
        if (!is_status(status))
            return fail_usage("--status: \"{}\" is not a status; use 404, 5xx or error", status);
    return {};
}

bool Filter::accepts(const wire::Request &request) const
{
    return request.latency_ns >= min_ns &&
           accepts_any(methods,
                       [&](const std::string &method) {
                           return strcasecmp(method.c_str(), request.method.c_str()) == 0;
                       }) &&
           accepts_any(hosts, [&](const auto &host) { return glob_match(host, request.host); }) &&
           accepts_any(paths, [&](const auto &path) { return request.path.starts_with(path); }) &&
           accepts_any(statuses, [&](const auto &status) { return has_status(request, status); });
}

}  // namespace uscope::http
