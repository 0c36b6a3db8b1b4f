// Names and numbers of signals, as in kill(1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uscope::proc {

// Returns the name of a signal, such as "SIGTERM" or "SIGRTMIN+3"; for numbers without a name (0,
// 32, 33 and invalid numbers), the number.
std::string signal_name(int signal);

// Returns the names of all signals, without "SIG".
std::vector<std::string> signal_names();

// Parses "TERM", "sigterm", "15", "RTMIN+3" or "RTMAX-1". Returns the signal's number (0 to 64), or
// nullopt if the text is invalid.
std::optional<int> parse_signal(std::string_view text);

}  // namespace uscope::proc
