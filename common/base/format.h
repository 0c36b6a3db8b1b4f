// Formatting by {fmt}. What takes long to compile stays in format.cpp: fmt/core.h knows what formats and arguments are,
// checks the ones against the others while compiling, and leaves the text to functions that are no templates.
// (fmt/format.h takes as long as everything else that most sources include. Version 11 wants it for fmt::format().)
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

namespace uscope {

void append_formatted(std::string &out, fmt::string_view format, fmt::format_args args);

// What fmt::format() returns, behind what is there.
template <class... Args>
void append_format(std::string &out, fmt::format_string<Args...> format, Args &&...args)
{
    append_formatted(out, format, fmt::make_format_args(args...));
}

// Texts or numbers, and what is between them.
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
