// Asks the name servers of /etc/resolv.conf, which also says in which domains a name is searched.
#pragma once

#include <string>
#include <vector>

namespace uscope::telemetry {

// Returns the addresses as text; none if no server knows the name, or answers in some seconds.
std::vector<std::string> ask_name_servers(const std::string &host);

}  // namespace uscope::telemetry
