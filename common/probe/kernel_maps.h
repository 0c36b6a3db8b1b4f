// The maps that every tool with generated programs has (bpf/lib/probe.bpf.h): sizes before the
// object is loaded, descriptors after.
#pragma once

#include <cstdint>
#include <functional>

#include "attach/link.h"
#include "base/result.h"
#include "expr/map_slot.h"
#include "probe/set.h"
#include "run/processes.h"

namespace uscope::probe {

// What became of the calls whose returns are seen at the ways out of functions.
struct CallEnds {
    uint64_t entered = 0;
    // By an exception, a panic, longjmp() or the end of a thread: another call has come in its place.
    uint64_t abandoned = 0;
    uint64_t tail_called = 0;  // in a tail call whose result was wanted, and is not seen
    uint64_t open = 0;         // nothing seen since the entry: under way, or left otherwise, too
};

class KernelMaps {
  public:
    template <class Object>
    explicit KernelMaps(Object &object)
        : follow_(run::follow_parts(object)),
          calls_(object->maps.probe_calls),
          call_zero_(object->maps.probe_call_zero),
          cgroup_(object->maps.probe_cgroup),
          places_(object->maps.site_table)
    {
        if constexpr (requires { object->progs.probe_thread_end; })
            thread_end_ = object->progs.probe_thread_end;
    }

    // Before the object is loaded: makes sizes for the calls under way that `probes` remember, and
    // for what `processes` filter by.
    Result<> prepare(const ProbeSet &probes, const run::Processes &processes) const;
    // The same for sets that are made later.
    struct MapSizes {
        uint32_t call_bytes = 0;  // what they save of a call
        bool exit_calls = false;  // returns are seen at the ways out
        uint32_t places = 1;      // of sites
    };
    Result<> prepare(const MapSizes &sizes, const run::Processes &processes) const;
    // For probes that are not known yet, but remember no calls.
    Result<> prepare(const run::Processes &processes) const { return processes.prepare(follow_); }

    // After the object was loaded: loads the programs and attaches them. `bindings` names the code of a
    // program and the map of its events; these maps are added. Forks are followed, and threads that end
    // are forgotten, until the links are closed.
    Result<run::ForkFollower> attach(ProbeSet &probes, const run::Processes &processes,
                                     const ProgramBindings &bindings) const;
    // The parts of that, for several sets.
    Result<run::ForkFollower> follow(const run::Processes &processes) const;
    Result<CallEnds> call_ends() const;
    Result<> load(ProbeSet &probes, const run::Processes &processes,
                  const ProgramBindings &bindings) const;
    Result<> attach_only(ProbeSet &probes, const run::Processes &processes,
                         const ProgramBindings &bindings) const;

  private:
    Result<> start_counting_calls() const;

    run::FollowParts follow_;
    bpf_program *thread_end_ = nullptr;  // of tools that remember something of threads
    bpf_map *calls_, *call_zero_, *cgroup_, *places_;
};

}  // namespace uscope::probe
