// Handles the maps that every tool with generated programs has (bpf/lib/probe.bpf.h): sets their
// sizes before the object is loaded, and links the generated programs with these maps and the C
// code afterwards.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "expr/map_slot.h"
#include "kernel/templates.h"
#include "probe/set.h"
#include "run/processes.h"

namespace uscope::probe {

// The numbers of calls whose returns were traced at exit sites, by how they ended.
struct CallEnds {
    uint64_t entered = 0;
    // Calls that ended by an exception, a panic, longjmp() or the end of their thread. The tool
    // notices this when a later call, at the same position of the stack, overwrites the record of
    // the abandoned one.
    uint64_t abandoned = 0;
    // Calls that ended in a tail call. That hides the result, which the probe needs.
    uint64_t tail_called = 0;
    // Calls whose exit was not seen: still under way, or abandoned but not overwritten.
    uint64_t open = 0;
};

class KernelMaps {
  public:
    template <class Object>
    explicit KernelMaps(Object &object)
        : templates_(object->obj),
          follow_(run::follow_parts(object)),
          calls_(object->maps.probe_calls),
          call_zero_(object->maps.probe_call_zero),
          cgroup_(object->maps.probe_cgroup),
          site_table_(object->maps.site_table),
          site_exits_(object->maps.site_exits)
    {
        if constexpr (requires { object->progs.probe_thread_end; })
            thread_end_ = object->progs.probe_thread_end;
    }

    // Call before the object is loaded. Sets the sizes of the maps, as the call records of `probes`
    // and the filters of `processes` require, and omits the templates that `probes` do not need.
    Result<> prepare(const ProbeSet &probes, const run::Processes &processes) const;
    // The sizes for probe sets that are built only after the object is loaded.
    struct MapSizes {
        uint32_t call_bytes = 0;  // size of a call record; 0: none
        bool exit_calls = false;  // returns are traced at exit sites
        SiteTableSizes sites = {};
    };
    Result<> prepare(const MapSizes &sizes, const run::Processes &processes) const;
    // For probes that are built later and store no call records.
    Result<> prepare(const run::Processes &processes) const { return processes.prepare(follow_); }

    // Call after the object is loaded. Loads the programs and attaches them. `bindings` returns the
    // events map or table of a program; this function adds the maps of this class. While the links
    // of the returned follower exist, the kernel side follows forks and forgets threads that end.
    Result<run::ForkFollower> attach(ProbeSet &probes, const run::Processes &processes,
                                     const ProgramBindings &bindings) const;
    // The steps of attach(), for tools with several probe sets: follow() once, then attach_only(),
    // or load() and ProbeSet::attach(), for each set.
    Result<run::ForkFollower> follow(const run::Processes &processes) const;
    Result<CallEnds> call_ends() const;
    Result<> load(ProbeSet &probes, const run::Processes &processes,
                  const ProgramBindings &bindings) const;
    Result<> attach_only(ProbeSet &probes, const run::Processes &processes,
                         const ProgramBindings &bindings) const;

  private:
    Result<> start_counting_calls() const;

    kernel::Templates templates_;
    run::FollowParts follow_;
    bpf_program *thread_end_ = nullptr;  // null in tools that keep no state for threads
    bpf_map *calls_, *call_zero_, *cgroup_, *site_table_, *site_exits_;
};

}  // namespace uscope::probe
