#include "btf/functions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uscope::btf::find_functions(uscope::Bytes(data, size), {"two", "none"});
    return 0;
}
