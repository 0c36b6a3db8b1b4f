#include "proc/kallsyms.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uscope::proc::parse_kernel_symbol({reinterpret_cast<const char *>(data), size});
    return 0;
}
