// The losses of a tool that counts in tables (bpf/lib/table.h).
#pragma once

#include "run/losses.h"

namespace uscope::probe {

// `map`: descriptor of table_lost. `what`: the plural noun, "events". `full`: the reason if the
// table is full, "no room for more keys (increase --keys)".
run::Losses lost_counts(int map, std::string what, std::string full);

}  // namespace uscope::probe
