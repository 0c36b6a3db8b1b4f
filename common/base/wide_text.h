// Texts whose characters have 2 or 4 bytes, in this machine's byte order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace uscope {

// Decodes UTF-16 (`wide` is 2) or UTF-32 (4). What is no character becomes U+FFFD.
std::string utf8_of_wide(std::string_view bytes, unsigned wide);
// The reverse; nullopt if the text is not UTF-8.
std::optional<std::string> wide_bytes(std::string_view utf8, unsigned wide);

}  // namespace uscope
