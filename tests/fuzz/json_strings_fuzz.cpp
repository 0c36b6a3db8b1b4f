#include <cstdlib>

#include "base/json_strings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view json(reinterpret_cast<const char *>(data), size);
    size_t bytes = 0;
    uscope::visit_json_strings(json, [&](const uscope::JsonString &text) {
        bytes += text.value.size();
        return true;
    });
    if (bytes > size)
        abort();
    return 0;
}
