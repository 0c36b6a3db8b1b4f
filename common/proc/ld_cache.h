// Reads /etc/ld.so.cache, the shared libraries that the dynamic linker knows.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::proc {

struct CachedLibrary {
    std::string_view name;  // "libc.so.6"
    std::string_view path;  // "/lib/x86_64-linux-gnu/libc.so.6"
};

// The 64-bit libraries for this machine's architecture, in the file's order (versions descending),
// without those built for special CPUs. The views point into `cache`. Returns none if the file is
// not a cache; skips entries that point outside of it.
std::vector<CachedLibrary> parse_ld_cache(Bytes cache);

}  // namespace uscope::proc
