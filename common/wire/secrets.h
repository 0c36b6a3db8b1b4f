// Hides the secrets of a request from people who look at traffic.
#pragma once

#include <string>
#include <string_view>

namespace uscope::wire {

// Headers whose values are secrets: authorization, cookie, x-api-key …
bool is_secret_header(std::string_view name);

// Returns the target with "***" for the values of query parameters such as token, key and password,
// and for user and password before an '@' in its host.
std::string without_secrets(std::string_view target);

}  // namespace uscope::wire
