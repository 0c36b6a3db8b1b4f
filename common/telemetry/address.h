// Addresses of collectors, and those on which scrapes are answered.
//
// The C library's getaddrinfo() loads libraries of the system, which a static program must not do.
// So a host is an address, a name in /etc/hosts, or one that the name servers of /etc/resolv.conf
// know, as in most containers; other sources of names (nsswitch.conf) are not asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/result.h"

namespace uscope::telemetry {

struct SocketAddress {
    sockaddr_storage storage = {};
    socklen_t size = 0;

    const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&storage); }
};

// `host`: "127.0.0.1" or "::1". nullopt for a name.
std::optional<SocketAddress> parse_address(const std::string &host, uint16_t port);

// "@NAME": an abstract unix socket, which is no file and ends with its process.
constexpr size_t max_socket_name = sizeof(sockaddr_un::sun_path) - 1;  // without the @

// ":9464", "127.0.0.1:9464", "[::1]:9464" or "@NAME"; nullopt for a file. Without a host: all
// addresses of this machine, "::".
std::optional<SocketAddress> listening_address(const std::string &text);

// Returns the addresses of a host as text. Asks name servers, which may take some seconds. Errors:
// nobody knows the name.
Result<std::vector<std::string>> addresses_of(const std::string &host,
                                              const std::string &hosts_path = "/etc/hosts");

}  // namespace uscope::telemetry
