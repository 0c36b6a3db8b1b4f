// Escapes names from a program's source: of functions (and so of stack frames), classes and files.
#pragma once

#include "output/escape.h"

namespace uscope::output {

// As append_escaped(), but keeps backslashes, which PHP has in names ("App\Cart").
inline void append_name(std::string &out, std::string_view name)
{
    for (size_t end; (end = name.find('\\')) != name.npos; name.remove_prefix(end + 1)) {
        append_escaped(out, name.substr(0, end));
        out.push_back('\\');
    }
    append_escaped(out, name);
}

inline std::string escaped_name(std::string_view name)
{
    std::string out;
    append_name(out, name);
    return out;
}

}  // namespace uscope::output
