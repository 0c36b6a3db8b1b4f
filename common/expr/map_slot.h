// Names the maps that generated programs use.
#pragma once

#include <cstdint>

namespace uscope::expr {

// CallZero: index 0 has an empty call record, the other indexes have the counters of enum
// CallNumber. Sites: see bpf/lib/site.h.
enum class MapSlot : uint8_t { Events, Calls, Targets, Cgroup, CallZero, Table, Sites };

}  // namespace uscope::expr
