#include "http/filter.h"

#include <cstring>

#include "base/text.h"
#include "wire/head.h"

namespace uscope::http {

void Filter::declare(run::Tool &tool)
{
    tool.option(0, "method", method, "METHOD", "only these: GET, post");
    tool.option(0, "host", host, "PATTERN", "only to hosts like this: '*.example.org*'");
    tool.option(0, "path", path, "PREFIX", "only paths that begin so");
    tool.option(0, "status", status, "STATUS",
                "only these answers: 404, 5xx, or error: none, or broken off");
    tool.option('m', "min,min-ms", run::Duration{min_ns, 1'000'000}, "TIME",
                "only those that take at least so long: 10ms, 250us; a number is in milliseconds");
}

Result<> Filter::check() const
{
    if (!method.empty() && !wire::is_method(method))
        return fail_usage(
            "--method: \"{}\" is none: it is one word, as GET or PROPFIND; leave it out to see all",
            method);
    bool is_status = status.size() == 3 && status[0] >= '1' && status[0] <= '5' &&
                     (status.ends_with("xx") || parse_number(status));
    if (!status.empty() && !is_status && status != "error")
        return fail_usage("--status: \"{}\" is none (404, 5xx, error)", status);
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
