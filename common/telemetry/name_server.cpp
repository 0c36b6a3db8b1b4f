// Asks with the C library's resolver, which works in a static program.
#include "telemetry/name_server.h"

#include <algorithm>

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>

namespace uscope::telemetry {
namespace {

void add_addresses(const std::string &host, ns_type type, int family,
                   std::vector<std::string> &addresses)
{
    unsigned char answer[NS_PACKETSZ * 8];
    int size = res_search(host.c_str(), ns_c_in, type, answer, sizeof(answer));
    ns_msg message;
    if (size < 0 || ns_initparse(answer, std::min(size, int(sizeof(answer))), &message) != 0)
        return;
    for (int i = 0; i < ns_msg_count(message, ns_s_an); i++) {
        ns_rr record;
        if (ns_parserr(&message, ns_s_an, i, &record) != 0)
            return;
        size_t bytes = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
        char text[INET6_ADDRSTRLEN];
        if (ns_rr_type(record) == type && ns_rr_rdlen(record) == bytes &&
            inet_ntop(family, ns_rr_rdata(record), text, sizeof(text)))
            addresses.emplace_back(text);
    }
}

}  // namespace

std::vector<std::string> ask_name_servers(const std::string &host)
{
    constexpr int answer_seconds = 1, attempts = 2;
    std::vector<std::string> addresses;
    if (res_init() != 0)
        return addresses;
    _res.retrans = answer_seconds;
    _res.retry = attempts;
    add_addresses(host, ns_t_a, AF_INET, addresses);
    add_addresses(host, ns_t_aaaa, AF_INET6, addresses);
    return addresses;
}

}  // namespace uscope::telemetry
