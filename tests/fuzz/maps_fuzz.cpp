#include <cstdlib>

#include "proc/maps.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    for (const uscope::proc::Mapping &mapping : uscope::proc::parse_maps(text))
        if (mapping.start >= mapping.end || mapping.path.size() > size)
            abort();
    return 0;
}
