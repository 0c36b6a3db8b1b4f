// Formats text with {fmt} but compiles fast. This header includes only fmt/core.h, which checks a
// format string against its arguments at compile time; the code that builds the text is in
// format.cpp. (The full header, fmt/format.h, takes as long to compile as everything else that most
// sources include. {fmt} 11 declares fmt::format() only there.)
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

namespace uscope {

void append_formatted(std::string &out, fmt::string_view format, fmt::format_args args);

// Appends to `out` the text that fmt::format() would return.
template <class... Args>
void append_format(std::string &out, fmt::format_string<Args...> format, Args &&...args)
{
    append_formatted(out, format, fmt::make_format_args(args...));
}

// Joins texts or numbers, with `between` between them.
template <class Items>
std::string join(const Items &items, std::string_view between)
{
    std::string joined;
    bool any = false;
    for (const auto &item : items) {
        if (any)
            joined += between;
        any = true;
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(item)>>)
            joined += std::to_string(item);
        else
            joined += item;
    }
    return joined;
}

}  // namespace uscope
