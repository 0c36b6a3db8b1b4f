// The shared process filters (run/processes.h) for programs that are written in C: sets the
// constants and maps that bpf/lib/filter.bpf.h reads.
//
//     run::KernelFilter filter(processes, run::filter_parts(object));
//     object->rodata->filter_config = filter.config();
//     TRY(filter.prepare());                   // before the object is loaded
//     auto follower = TRY(filter.start());     // after that, and before the programs are attached
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

    // The filter never passes events of this process itself.
    filter_config config() const;
    Result<> prepare() const;
    Result<ForkFollower> start() const;

  private:
    // Programs look several processes up in a map, but compare with a constant if there is only
    // one.
    bool by_targets() const { return processes_.follow_forks || processes_.pids.size() > 1; }

    const Processes &processes_;
    FilterParts parts_;
};

}  // namespace uscope::run
