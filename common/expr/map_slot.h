// Names the maps that generated programs use.
#pragma once

#include <cstdint>

namespace uscope::expr {

// Events: the ring buffer. Calls: the calls under way, with the values saved at their entry.
// Targets: the processes to trace, when forks are followed. CallZero: index 0 has an empty call
// record, the other indexes have the counters of enum CallNumber. Table: where programs count
// (OutputKind::Key). Sites, Exits: the maps site_table and site_exits (bpf/lib/site.h). Cgroups:
// the ids of the cgroups to trace. Sampled: for each program, how many events were left out since
// the last one that was chosen (struct Sampling).
enum class MapSlot : uint8_t {
    Events,
    Calls,
    Targets,
    Cgroup,
    CallZero,
    Table,
    Sites,
    Exits,
    Cgroups,
    Sampled
};

}  // namespace uscope::expr
