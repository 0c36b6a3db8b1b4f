// What of a request nobody should read who only looks at traffic.
#pragma once

#include <string>
#include <string_view>

namespace uscope::wire {

// Headers whose values are secrets: authorization, cookie, x-api-key …
bool is_secret_header(std::string_view name);

// The target with "***" for the values of query parameters such as token, key, password, and for what is
// before an '@' in its host.
std::string without_secrets(std::string_view target);

}  // namespace uscope::wire
