// Appends formatted text to a buffer.
#pragma once

#include <utility>

#include "base/format.h"

namespace uscope::output {

template <typename... Arguments>
void print(fmt::memory_buffer &out, fmt::format_string<Arguments...> format,
           Arguments &&...arguments)
{
    fmt::format_to(fmt::appender(out), format, std::forward<Arguments>(arguments)...);
}

}  // namespace uscope::output
