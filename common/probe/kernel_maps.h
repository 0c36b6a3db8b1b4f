// The maps of every tool with generated programs (bpf/lib/probe.bpf.h): sets their sizes before the
// object is loaded, and passes their descriptors and the C code to the programs afterwards.
#pragma once

#include <cstdint>
#include <functional>

#include "attach/link.h"
#include "base/result.h"
#include "expr/map_slot.h"
#include "probe/set.h"
#include "run/processes.h"

namespace uscope::probe {

// How the calls ended whose returns are traced at exit sites.
struct CallEnds {
    uint64_t entered = 0;
    // Left by an exception, a panic, longjmp() or the end of a thread: another call has since
    // replaced them on the same stack.
    uint64_t abandoned = 0;
    uint64_t tail_called = 0;  // ended in a tail call, which hides the result that the probe needs
    uint64_t open = 0;         // no exit seen: still under way, or abandoned but not replaced
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
          site_table_(object->maps.site_table)
    {
        if constexpr (requires { object->progs.probe_thread_end; })
            thread_end_ = object->progs.probe_thread_end;
    }

    // Call before the object is loaded: sizes the maps for the call records of `probes` and for the
    // filters of `processes`, and leaves out the templates that `probes` do not need.
    Result<> prepare(const ProbeSet &probes, const run::Processes &processes) const;
    // For sets that are built after the object is loaded.
    struct MapSizes {
        uint32_t call_bytes = 0;    // size of a call record; 0: none
        bool exit_calls = false;    // returns are traced at exit sites
        uint32_t site_entries = 1;  // entries of the site table
    };
    Result<> prepare(const MapSizes &sizes, const run::Processes &processes) const;
    // For probes that are built later and store no call records.
    Result<> prepare(const run::Processes &processes) const { return processes.prepare(follow_); }

    // Call after the object is loaded: loads the programs and attaches them. `bindings` returns a
    // program's events map or table; this function adds the maps of this class. The
    // follower's links make the kernel side follow forks and forget threads that end.
    Result<run::ForkFollower> attach(ProbeSet &probes, const run::Processes &processes,
                                     const ProgramBindings &bindings) const;
    // The steps of attach(), for tools with several sets.
    Result<run::ForkFollower> follow(const run::Processes &processes) const;
    Result<CallEnds> call_ends() const;
    Result<> load(ProbeSet &probes, const run::Processes &processes,
                  const ProgramBindings &bindings) const;
    Result<> attach_only(ProbeSet &probes, const run::Processes &processes,
                         const ProgramBindings &bindings) const;

  private:
    Result<> start_counting_calls() const;

    attach::Templates templates_;
    run::FollowParts follow_;
    bpf_program *thread_end_ = nullptr;  // only in tools that keep state of threads
    bpf_map *calls_, *call_zero_, *cgroup_, *site_table_;
};

}  // namespace uscope::probe
