#include <cstdlib>

#include "proc/workload.h"

// Whatever the paths are, ids and names are no longer than these, and an id has a short form.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    std::string_view lines(reinterpret_cast<const char *>(data), size);
    uscope::proc::Workload workload = uscope::proc::workload_of_cgroups(lines);
    if (workload.container_id.size() > size || workload.unit.size() > size ||
        workload.pod_uid.size() > size || short_id(workload).size() > workload.container_id.size())
        abort();
    return 0;
}
