// The shared libraries that the dynamic linker knows: /etc/ld.so.cache.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::proc {

struct CachedLibrary {
    std::string_view name;  // "libc.so.6"
    std::string_view path;  // "/lib/x86_64-linux-gnu/libc.so.6"
};

// The 64-bit libraries of this machine's kind, in the file's order (versions descending), those
// built for special processors left out. The views point into `cache`. A file that is no cache has
// none, and an entry that points outside is left out.
std::vector<CachedLibrary> parse_ld_cache(Bytes cache);

}  // namespace uscope::proc
