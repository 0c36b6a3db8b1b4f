#include <cstdlib>

#include "proc/process_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::vector<uscope::proc::ProcessEvent> events;
    uscope::proc::decode_events(uscope::Bytes(data, size), events);
    if (events.size() > size / 8)
        abort();
    return 0;
}
