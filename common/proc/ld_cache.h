// Reads /etc/ld.so.cache, the list of shared libraries that the dynamic linker knows.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace uscope::proc {

struct CachedLibrary {
    std::string_view name;  // "libc.so.6"
    std::string_view path;  // "/lib/x86_64-linux-gnu/libc.so.6"
};

// Returns the 64-bit libraries for this machine's architecture, without those built for special
// CPUs, in the order of the file: newer versions of a library come first. The views point into
// `cache`, the content of the file. Returns nothing if that has another format; skips entries that
// point outside of it.
std::vector<CachedLibrary> parse_ld_cache(Bytes cache);

}  // namespace uscope::proc
