// Says what a tool that counts could not count (bpf/lib/table.h).
#pragma once

#include <string>
#include <vector>

#include "lib/table.h"
#include "run/tool.h"

namespace uscope::probe {

class LostCounts {
  public:
    // `map`: table_lost. `what` is counted, "events"; `full`: "no place for more keys (--keys makes
    // it)".
    LostCounts(int map, std::string what, std::string full);

    // One line for each reason that was met since the last time.
    Result<> note(run::Tool &tool);

  private:
    int map_;
    std::string what_, full_;
    std::vector<uint64_t> before_ = std::vector<uint64_t>(TABLE_LOST);
};

}  // namespace uscope::probe
