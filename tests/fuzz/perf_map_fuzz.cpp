#include <cstdlib>

#include "symbols/perf_map.h"

// Reads the data as a perf map in two parts, as if the file had grown in between.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    uscope::symbols::PerfMap map;
    size_t used = map.append(text.substr(0, size / 2));
    map.append(text.substr(used));
    for (uint64_t address : {uint64_t(0), uint64_t(0x1000), uint64_t(0x7f0000000000), UINT64_MAX})
        if (auto symbol = map.find(address))
            if (symbol->start > address || symbol->name.empty())
                abort();
    return 0;
}
