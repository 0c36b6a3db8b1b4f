// Parses addresses, and finds those of names.
#include "telemetry/address.h"

#include <algorithm>
#include <cstddef>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/fd.h"
#include "base/text.h"
#include "telemetry/name_server.h"

namespace uscope::telemetry {

std::optional<SocketAddress> parse_address(const std::string &host, uint16_t port)
{
    SocketAddress address;
    auto *v4 = reinterpret_cast<sockaddr_in *>(&address.storage);
    auto *v6 = reinterpret_cast<sockaddr_in6 *>(&address.storage);
    if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        address.size = sizeof(*v4);
        return address;
    }
    if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) != 1)
        return std::nullopt;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof(*v6);
    return address;
}

static std::optional<SocketAddress> abstract_address(std::string_view name)
{
    SocketAddress address;
    auto *local = reinterpret_cast<sockaddr_un *>(&address.storage);
    if (name.empty() || name.size() > max_socket_name)
        return std::nullopt;
    local->sun_family = AF_UNIX;
    name.copy(local->sun_path + 1, name.size());  // sun_path[0] is 0
    address.size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return address;
}

std::optional<SocketAddress> listening_address(const std::string &text)
{
    if (text.starts_with('@'))
        return abstract_address(std::string_view(text).substr(1));
    size_t colon = text.rfind(':');
    if (colon == text.npos)
        return std::nullopt;
    auto port = parse_number(std::string_view(text).substr(colon + 1));
    std::string host = text.substr(0, colon);
    if (!port || *port == 0 || *port > UINT16_MAX)
        return std::nullopt;
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    return parse_address(host.empty() ? "::" : host, uint16_t(*port));
}

Result<std::vector<std::string>> addresses_of(const std::string &host,
                                              const std::string &hosts_path)
{
    if (parse_address(host, 0))
        return std::vector{host};
    std::vector<std::string> addresses;
    std::string hosts = read_file(hosts_path).value_or("");
    for (std::string_view line : split(hosts, '\n')) {
        line = line.substr(0, line.find('#'));
        auto words = split_words(line);
        if (words && std::any_of(words->begin() + 1, words->end(),
                                 [&](const auto &name) { return lower_case(name) == host; }))
            addresses.push_back(words->front());
    }
    if (addresses.empty() && host == "localhost")
        addresses = {"127.0.0.1", "::1"};
    if (addresses.empty())
        addresses = ask_name_servers(host);
    if (addresses.empty())
        return fail("neither {} nor a name server knows \"{}\": give an address, or add the name",
                    hosts_path, host);
    return addresses;
}

}  // namespace uscope::telemetry
