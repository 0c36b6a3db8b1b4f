// The maps that generated programs use.
#pragma once

#include <cstdint>

namespace uscope::expr {

// CallZero: at index 0 an empty call record; of calls whose returns are seen at the ways out, the
// numbers of enum CallNumber. Sites: see bpf/lib/site.h.
enum class MapSlot : uint8_t { Events, Calls, Targets, Cgroup, CallZero, Table, Sites };

}  // namespace uscope::expr
