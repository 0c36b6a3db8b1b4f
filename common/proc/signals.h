// Signals by name and number, as kill(1) has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace uscope::proc {

// "SIGTERM"; "SIGRTMIN+3"; the number itself when it has no name (0, 32, 33 and what is no signal).
std::string signal_name(int signal);

// "TERM", "sigterm", "15", "RTMIN+3", "RTMAX-1": 0 … 64, or nothing.
std::optional<int> parse_signal(std::string_view text);

}  // namespace uscope::proc
