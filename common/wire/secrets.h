// Hides tokens, passwords and other secrets of requests in the output.
#pragma once

#include <string>
#include <string_view>

namespace uscope::wire {

// Headers whose values are secrets: authorization, cookie, x-api-key …
bool is_secret_header(std::string_view name);

// Returns the target with "***" instead of the values of query parameters such as token, key and
// password, and instead of "user:password" in http://user:password@host.
std::string without_secrets(std::string_view target);

}  // namespace uscope::wire
