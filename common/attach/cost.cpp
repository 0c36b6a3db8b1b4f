#include "attach/cost.h"

#include <bpf/bpf.h>

namespace uscope::attach {

Result<Fd> measure_programs()
{
    Fd fd(bpf_enable_stats(BPF_STATS_RUN_TIME));
    if (!fd)
        return fail_errno("cannot make the kernel measure the programs");
    return fd;
}

Cost program_cost(int program)
{
    bpf_prog_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(program, &info, &size) != 0)
        return {};
    return {info.run_cnt, info.run_time_ns};
}

}  // namespace uscope::attach
