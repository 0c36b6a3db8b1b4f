// Fills the constants and maps that the C code of the filters reads.
#include "run/filter.h"

#include <cstring>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

namespace uscope::run {

filter_config KernelFilter::config() const
{
    expr::ProcessFilter wanted = processes_.filter(false);
    filter_config config = {};
    config.pidns_device = wanted.pidns_device;
    config.pidns_inode = wanted.pidns_inode;
    config.not_tgid = getpid();
    config.tgid = by_targets() || wanted.tgids.empty() ? 0 : wanted.tgids[0];
    config.tid = wanted.tid.value_or(0);
    config.uid = wanted.uid.value_or(0);
    config.by_uid = wanted.uid.has_value();
    config.by_targets = by_targets();
    config.by_comm = !wanted.comms.empty();
    config.by_cgroup = wanted.in_cgroup;
    config.by_cgroups = wanted.in_cgroups_map;
    return config;
}

Result<> KernelFilter::prepare() const
{
    TRY(processes_.prepare(parts_.follow));
    uint32_t pids = processes_.pids.size(), comms = processes_.comms.size();
    if ((!processes_.follow_forks && pids > 1 &&
         bpf_map__set_max_entries(parts_.follow.targets, pids) != 0) ||
        (comms > 1 && bpf_map__set_max_entries(parts_.comms, comms) != 0))
        return fail("the filters' maps are already loaded");
    return {};
}

Result<ForkFollower> KernelFilter::start() const
{
    uint8_t yes = 1;
    for (const std::string &name : processes_.comms) {
        char key[16] = {};
        name.copy(key, sizeof(key) - 1);  // as the kernel cuts it
        if (bpf_map_update_elem(bpf_map__fd(parts_.comms), key, &yes, BPF_ANY) != 0)
            return fail_errno("cannot filter by the name {}", name);
    }
    if (by_targets() && !processes_.follow_forks) {
        for (uint32_t pid : processes_.pids) {
            if (bpf_map_update_elem(bpf_map__fd(parts_.follow.targets), &pid, &yes, BPF_ANY) != 0)
                return fail_errno("cannot filter by process {}", pid);
        }
    }
    TRY(processes_.fill_cgroup(parts_.cgroup));
    return processes_.start(parts_.follow);
}

}  // namespace uscope::run
