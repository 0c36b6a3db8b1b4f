// Sets up the filters of run/processes.h for BPF programs that are written in C: sets the constants
// and maps that bpf/lib/filter.bpf.h reads.
//
//     run::KernelFilter filter(processes, run::filter_parts(object));
//     object->rodata->filter_config = filter.config();
//     TRY(filter.prepare());                   // before the object is loaded
//     auto follower = TRY(filter.start());     // when it is loaded, before programs are attached
#pragma once

#include "bpf/lib/filter.h"
#include "run/processes.h"

namespace uscope::run {

struct FilterParts {
    FollowParts follow;
    bpf_map *comms, *cgroup;
};

template <class Object>
FilterParts filter_parts(Object &object)
{
    return {follow_parts(object), object->maps.filter_comms, object->maps.filter_cgroup};
}

class KernelFilter {
  public:
    KernelFilter(const Processes &processes, const FilterParts &parts)
        : processes_(processes), parts_(parts)
    {
    }

    // The value for the programs' constant filter_config. It excludes events of this process.
    filter_config config() const;
    Result<> prepare() const;
    Result<ForkFollower> start() const;

  private:
    // Do programs look up the process in a map? They do if several processes are traced; for a
    // single one, they compare its id with a constant.
    bool by_targets() const { return processes_.follow_forks || processes_.pids.size() > 1; }

    const Processes &processes_;
    FilterParts parts_;
};

}  // namespace uscope::run
