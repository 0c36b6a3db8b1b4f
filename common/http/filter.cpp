// The options that select requests, their check, and the comparison with a request.
#include "http/filter.h"

#include <cstring>

#include "base/text.h"
#include "wire/head.h"

namespace uscope::http {

void Filter::declare(run::Tool &tool)
{
    tool.option(0, "method", method, "METHOD", "only this method: GET, post");
    tool.option(0, "host", host, "PATTERN", "only hosts that match: '*.example.org*'");
    tool.option(0, "path", path, "PREFIX", "only paths that start with PREFIX");
    tool.option(0, "status", status, "STATUS",
                "only this status: 404, 5xx, or error (no response, or incomplete)");
    tool.option('m', "min,min-ms", run::Duration{min_ns, 1'000'000}, "TIME",
                "only requests that take at least TIME, such as 10ms (default unit: ms)");
}

Result<> Filter::check() const
{
    if (!method.empty() && !wire::is_method(method))
        return fail_usage(
            "--method: \"{}\" is not a method; use one word such as GET, or omit --method to see "
            "all",
            method);
    bool is_status = status.size() == 3 && status[0] >= '1' && status[0] <= '5' &&
                     (status.ends_with("xx") || parse_number(status));
    if (!status.empty() && !is_status && status != "error")
        return fail_usage("--status: \"{}\" is not a status; use 404, 5xx or error", status);
    return {};
}

bool Filter::accepts(const Request &request) const
{
    if (request.latency_ns < min_ns)
        return false;
    if (!method.empty() && strcasecmp(method.c_str(), request.method.c_str()) != 0)
        return false;
    if (!host.empty() && !glob_match(host, request.host))
        return false;
    if (!request.path.starts_with(path))
        return false;
    if (status.empty())
        return true;
    if (status == "error")
        return !request.error.empty();
    if (!request.status)
        return false;
    return status.ends_with("xx") ? *request.status / 100 == status[0] - '0'
                                  : *request.status == parse_number(status);
}

}  // namespace uscope::http
