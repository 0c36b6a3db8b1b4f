#include <cstdlib>

#include "proc/tracefs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    auto point = uscope::proc::parse_format(text);
    if (point)
        for (const uscope::proc::TracepointField &field : point->fields)
            if (field.name.empty() || field.type.empty() || field.count > field.size)
                abort();
    return 0;
}
