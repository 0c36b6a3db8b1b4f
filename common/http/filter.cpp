#include "http/filter.h"

#include <cstring>

#include "base/text.h"

namespace uscope::http {

Result<> Filter::check() const
{
    bool is_status = status.size() == 3 && status[0] >= '1' && status[0] <= '5' &&
                     (status.ends_with("xx") || parse_number(status));
    if (!status.empty() && !is_status && status != "error")
        return fail_usage("--status: \"{}\" is none (404, 5xx, error)", status);
    return {};
}

bool Filter::accepts(const Request &request) const
{
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
