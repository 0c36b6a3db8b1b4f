// Says what a tool that counts could not count (bpf/lib/table.h).
#pragma once

#include "run/losses.h"

namespace uscope::probe {

// `map`: table_lost. `what` is counted, "events"; `full`: "no place for more keys (--keys makes
// it)".
run::Losses lost_counts(int map, std::string what, std::string full);

}  // namespace uscope::probe
