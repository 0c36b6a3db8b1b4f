// The shared process filters (run/processes.h) in programs that are written in C: sets up what
// bpf/lib/filter.bpf.h reads.
//
//     run::KernelFilter filter(processes, run::filter_parts(object));
//     object->rodata->filter_config = filter.config();
//     TRY(filter.prepare());                           // before the object is loaded
//     run::ForkFollower follower = TRY(filter.start());   // after it, before the programs are attached
#pragma once

#include "lib/filter.h"
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

    // This process itself never passes.
    filter_config config() const;
    Result<> prepare() const;
    Result<ForkFollower> start() const;

  private:
    // Several processes are looked up in a map, one is compared with.
    bool by_targets() const { return processes_.follow_forks || processes_.pids.size() > 1; }

    const Processes &processes_;
    FilterParts parts_;
};

}  // namespace uscope::run
