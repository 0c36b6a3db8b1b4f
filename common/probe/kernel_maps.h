// The maps that every tool with generated programs has (bpf/lib/probe.bpf.h): sizes before the
// object is loaded, descriptors after.
#pragma once

#include <cstdint>
#include <functional>

#include "attach/link.h"
#include "base/result.h"
#include "expr/map_slot.h"
#include "run/processes.h"

namespace uscope::probe {

class Set;
struct Program;

// What became of the calls whose returns are seen at the ways out of functions.
struct CallEnds {
    uint64_t entered = 0;
    // By an exception, a panic, longjmp() or the end of a thread: another call has come in its place.
    uint64_t left_otherwise = 0;
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
          places_(object->maps.site_places)
    {
        if constexpr (requires { object->progs.probe_thread_end; })
            thread_end_ = object->progs.probe_thread_end;
    }

    // Before the object is loaded: makes room for the calls under way that `probes` remember, and
    // for what `processes` filter by.
    Result<> prepare(const Set &probes, const run::Processes &processes) const;
    // The same for sets that are made later.
    struct Room {
        uint32_t call_bytes = 0;  // what they save of a call
        bool exit_calls = false;  // returns are seen at the ways out
        uint32_t places = 1;      // of sites
    };
    Result<> prepare(const Room &room, const run::Processes &processes) const;
    // For probes that are not known yet, but remember no calls.
    Result<> prepare(const run::Processes &processes) const { return processes.prepare(follow_); }

    // What a program is loaded with beside these maps: the code that has its Delivery::function, and
    // the map that it gives its events to.
    struct Linkage {
        const attach::Template &code;
        expr::MapSlot slot;
        int map;
    };
    // After the object was loaded: loads the programs and attaches them. Forks are followed, and
    // threads that end are forgotten, until the links are closed.
    using LinkageOf = std::function<Linkage(const Program &)>;
    Result<run::Following> attach(Set &probes, const run::Processes &processes,
                                  const LinkageOf &half) const;
    // The parts of that, for several sets.
    Result<run::Following> follow(const run::Processes &processes) const;
    Result<CallEnds> call_ends() const;
    Result<> load(Set &probes, const run::Processes &processes, const LinkageOf &half) const;
    Result<> attach_only(Set &probes, const run::Processes &processes, const LinkageOf &half) const;

  private:
    Result<> start_counting_calls() const;

    run::FollowParts follow_;
    bpf_program *thread_end_ = nullptr;  // of tools that remember something of threads
    bpf_map *calls_, *call_zero_, *cgroup_, *places_;
};

}  // namespace uscope::probe
