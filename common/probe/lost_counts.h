// The losses of a tool that counts in tables (bpf/lib/table.h).
#pragma once

#include "run/losses.h"

namespace uscope::probe {

// `map`: the descriptor of the map table_lost. `what`: what is lost, in the plural: "events".
// `full`: the text of the reason that the table is full: "no room for more keys (increase --keys)".
run::Losses lost_counts(int map, std::string what, std::string full);

}  // namespace uscope::probe
