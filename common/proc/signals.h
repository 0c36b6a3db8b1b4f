// Names and numbers of signals, as in kill(1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace uscope::proc {

// "SIGTERM"; "SIGRTMIN+3"; the number itself if it has no name (0, 32, 33 and invalid numbers).
std::string signal_name(int signal);

// Parses "TERM", "sigterm", "15", "RTMIN+3" or "RTMAX-1". Returns 0 to 64, or nullopt.
std::optional<int> parse_signal(std::string_view text);

}  // namespace uscope::proc
