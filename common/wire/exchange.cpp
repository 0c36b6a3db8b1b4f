// Derives host and path from a request, and formats the addresses of a connection.
#include "wire/exchange.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/format.h"

namespace uscope::wire {
namespace {

// Returns "" for port 0: a server's UDP socket has no peer.
std::string endpoint_text(const http_address &address, const uint8_t *ip, uint16_t port)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (address.family == AF_UNIX)
        return "unix";
    if ((address.family != AF_INET && address.family != AF_INET6) || !port)
        return "";
    constexpr uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    bool is_mapped = address.family == AF_INET6 && memcmp(ip, mapped, sizeof(mapped)) == 0;
    if (address.family == AF_INET || is_mapped) {
        inet_ntop(AF_INET, ip + (is_mapped ? sizeof(mapped) : 0), text, sizeof(text));
        return fmt::format("{}:{}", text, port);
    }
    inet_ntop(AF_INET6, ip, text, sizeof(text));
    return fmt::format("[{}]:{}", text, port);
}

// The position after "http://" in a target, which requests to proxies have; npos for other targets.
size_t authority_of(std::string_view target)
{
    size_t scheme = target.find("://");
    return target.starts_with('/') || scheme == target.npos || scheme > 8 ? target.npos
                                                                          : scheme + 3;
}

}  // namespace

std::string Exchange::host() const
{
    std::string_view target = request.target;
    if (request.method == "CONNECT")
        return request.target;
    if (size_t at = authority_of(target); at != target.npos)
        return std::string(target.substr(at, target.find_first_of("/?", at) - at));
    const std::string *host = request.find("host");
    return host ? *host : "";
}

std::string Exchange::path_and_query() const
{
    std::string_view target = request.target;
    if (request.method == "CONNECT")
        return "";
    if (size_t at = authority_of(target); at != target.npos) {
        size_t path = target.find_first_of("/?", at);
        return path == target.npos ? "/" : std::string(target.substr(path));
    }
    return request.target;
}

std::string Exchange::path() const
{
    std::string path = path_and_query();
    return path.substr(0, path.find_first_of("?#"));
}

std::string remote_text(const http_address &address)
{
    return endpoint_text(address, address.remote, address.remote_port);
}

std::string local_text(const http_address &address)
{
    return endpoint_text(address, address.local, address.local_port);
}

}  // namespace uscope::wire
