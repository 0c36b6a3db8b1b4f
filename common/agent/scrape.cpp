// GET /metrics from an abstract unix socket.
#include "agent/scrape.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "base/fd.h"
#include "base/text.h"
#include "telemetry/address.h"
#include "wire/head.h"

namespace uscope::agent {

Result<std::string> scrape(const std::string &socket)
{
    constexpr std::string_view request = "GET /metrics HTTP/1.1\r\nHost: uscope\r\n\r\n";
    constexpr timeval limit = {2, 0};
    auto address = telemetry::listening_address(socket);
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (!address || connect(fd.get(), address->get(), address->size) != 0 ||
        send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) != ssize_t(request.size()))
        return fail_errno("cannot connect to {}", socket);
    std::string text;
    char buffer[16384];
    ssize_t count;
    while ((count = recv(fd.get(), buffer, sizeof(buffer), 0)) > 0)
        text.append(buffer, size_t(count));
    if (count < 0)
        return fail_errno("cannot read from {}", socket);
    auto head = wire::parse_head(text);
    auto end = wire::find_head_end(text);
    const std::string *length = head ? head->find("content-length") : nullptr;
    if (!end || !length || head->status != 200 || parse_number(*length) != text.size() - *end)
        return fail("{} does not answer with all metrics", socket);
    return text.substr(*end);
}

}  // namespace uscope::agent
