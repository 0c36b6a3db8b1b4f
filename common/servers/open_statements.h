// Statements that are under way when a tool ends.
#pragma once

#include <functional>

#include <bpf/libbpf.h>

#include "base/bytes.h"
#include "base/result.h"
#include "lib/statement.h"
#include "run/tool.h"

namespace uscope::servers {

struct StatementMaps {
    const bpf_map *states, *long_texts, *sessions;
};

// Hands over a record of each, as of those that have ended, by the time when it began. After the programs
// are detached. `end_ns` (CLOCK_MONOTONIC) is when the tool ended: while its programs are detached, which takes a while,
// a statement may end unseen. Those of servers that were killed are left out.
Result<> each_open_statement(const StatementMaps &maps, const statement_config &config,
                             uint64_t end_ns, const std::function<void(Bytes record)> &take);

// For tools that only count them. "3 statements had not ended, and are not counted", or
// {"type":"statements","open":3}.
void tell_open(run::Tool &tool, uint64_t open);
Result<> tell_open(run::Tool &tool, const StatementMaps &maps, const statement_config &config);

}  // namespace uscope::servers
