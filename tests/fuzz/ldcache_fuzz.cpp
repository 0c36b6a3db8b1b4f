#include <cstdlib>

#include "proc/ld_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (const uscope::proc::CachedLibrary &library :
         uscope::proc::parse_ld_cache(uscope::Bytes(data, size)))
        if (library.name.size() + 1 > size || library.path.size() + 1 > size)
            abort();
    return 0;
}
