#include "probe/lost_counts.h"

#include "attach/map.h"

namespace uscope::probe {

LostCounts::LostCounts(int map, std::string what, std::string full)
    : map_(map), what_(std::move(what)), full_(std::move(full))
{
}

Result<> LostCounts::note(run::Tool &tool)
{
    const std::string reasons[TABLE_LOST] = {full_, "their value could not be read",
                                             "too many calls were under way at the same time"};
    auto counts = TRY(attach::read_counters(map_, TABLE_LOST));
    for (size_t i = 0; i < TABLE_LOST; i++) {
        if (counts[i] > before_[i])
            tool.note("{} {} are not counted: {}", counts[i] - before_[i], what_, reasons[i]);
    }
    before_ = std::move(counts);
    return {};
}

}  // namespace uscope::probe
