// Reads the run times of this process's programs, and sums them up by the programs' names.
#include "kernel/stats.h"

#include <set>

#include <bpf/bpf.h>

#include "base/fd.h"
#include "base/format.h"
#include "kernel/link_info.h"
#include "proc/process.h"

namespace uscope::kernel {

Result<Fd> measure_programs()
{
    Fd fd(bpf_enable_stats(BPF_STATS_RUN_TIME));
    if (!fd)
        return fail_errno("cannot make the kernel measure the programs");
    return fd;
}

namespace {

std::map<uint32_t, std::string> &names()  // by the program's id
{
    static std::map<uint32_t, std::string> names;
    return names;
}

}  // namespace

void remember_name(int program, std::string name)
{
    if (auto info = info_of<bpf_prog_info>(program))
        names()[info->id] = std::move(name);
}

std::map<std::string, ProgramStats> program_stats()
{
    std::map<std::string, ProgramStats> costs;
    std::set<uint32_t> seen;
    for (int descriptor : proc::numbered_entries("/proc/self/fd")) {
        if (link_target(fmt::format("/proc/self/fd/{}", descriptor)) != "anon_inode:bpf-prog")
            continue;
        auto info = info_of<bpf_prog_info>(descriptor);
        if (!info || !info->run_cnt || !seen.insert(info->id).second)
            continue;
        auto name = names().find(info->id);
        costs[name == names().end() ? info->name : name->second] +=
            ProgramStats{info->run_cnt, info->run_time_ns};
    }
    return costs;
}

}  // namespace uscope::kernel
