// Any bytes as the memory of a process that runs a JVM: the tables by which that describes itself.
#include <cstdlib>

#include "common/lang/hotspot_memory.h"
#include "lang/hotspot.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lang::Memory memory = lang::tests::memory_of({reinterpret_cast<const char *>(data), size});
    auto jvm = lang::Hotspot::open(memory);
    if (!jvm)
        return 0;
    lang::to_string(jvm->version());
    if (jvm->flags({"DTraceMethodProbes", "DTraceAllocProbes"}).size() > 2)
        abort();
    return 0;
}
