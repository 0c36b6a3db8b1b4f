// Statements that have not ended when a tool ends.
#pragma once

#include <functional>

#include <bpf/libbpf.h>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/servers/statement.h"
#include "run/tool.h"

namespace uscope::servers {

struct StatementMaps {
    const bpf_map *states, *long_texts, *sessions;
};

// Calls `take` with a record for each open statement, in the order in which they began. Call after
// the programs are detached. `end_ns` (CLOCK_MONOTONIC): when the tool ended; detaching takes a
// while, and a statement may end unseen meanwhile. Skips statements of servers that were killed.
Result<> each_open_statement(const StatementMaps &maps, const statement_config &config,
                             uint64_t end_ns, const std::function<void(Bytes record)> &take);

// For tools that only count statements. Prints "3 statements had not ended and are not counted", or
// {"type":"statements","open":3}.
void report_open(run::Tool &tool, uint64_t open);
Result<> report_open(run::Tool &tool, const StatementMaps &maps, const statement_config &config);

}  // namespace uscope::servers
