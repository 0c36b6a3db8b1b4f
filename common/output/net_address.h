// Shows addresses of the network.
#pragma once

#include <string>

#include "base/bytes.h"

namespace uscope::output {

// `bytes`: an IPv4 address (4 bytes), an IPv6 address (16), else a structure that begins as struct
// sockaddr does. Returns "192.0.2.1", "2001:db8::1", "192.0.2.1:80", "[2001:db8::1]:80",
// "unix:/run/x.sock", "unix:@abstract", "unix:" for a socket without a name, "family 16" for
// others; "" if the bytes are too few.
std::string net_address_text(Bytes bytes);

}  // namespace uscope::output
