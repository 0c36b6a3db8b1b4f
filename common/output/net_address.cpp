#include "output/net_address.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/format.h"

namespace uscope::output {
namespace {

constexpr uint64_t ipv4_bytes = 4, ipv6_bytes = 16;
// Offsets in struct sockaddr_in, sockaddr_in6 and sockaddr_un.
constexpr uint64_t port_at = 2, ipv4_at = 4, ipv6_at = 8, path_at = 2;

std::string ip_text(int family, Bytes address)
{
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(family, address.data(), text, sizeof(text));
    return text;
}

std::string unix_text(Bytes bytes)
{
    std::string_view path = bytes.text().substr(path_at);
    if (path.starts_with('\0'))
        return path.size() > 1 && path[1]
                   ? fmt::format("unix:@{}", path.substr(1, path.find('\0', 1) - 1))
                   : "unix:";
    size_t end = path.find('\0');
    return fmt::format("unix:{}{}", path.substr(0, end), end == path.npos ? "..." : "");
}

}  // namespace

std::string net_address_text(Bytes bytes)
{
    if (bytes.size() == ipv4_bytes)
        return ip_text(AF_INET, bytes);
    if (bytes.size() == ipv6_bytes)
        return ip_text(AF_INET6, bytes);
    auto family = bytes.read<uint16_t>(0), port = bytes.read<uint16_t>(port_at);
    if (!family || !port)
        return "";
    if (auto ip = bytes.slice(ipv4_at, ipv4_bytes); ip && *family == AF_INET)
        return fmt::format("{}:{}", ip_text(AF_INET, *ip), ntohs(*port));
    if (auto ip = bytes.slice(ipv6_at, ipv6_bytes); ip && *family == AF_INET6)
        return fmt::format("[{}]:{}", ip_text(AF_INET6, *ip), ntohs(*port));
    if (*family == AF_UNIX)
        return unix_text(bytes);
    return fmt::format("family {}", *family);
}

}  // namespace uscope::output
