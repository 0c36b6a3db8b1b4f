// Names the reasons why programs could not count an event, in the order of bpf/lib/table.h.
#include "probe/lost_counts.h"

#include "bpf/lib/table.h"

namespace uscope::probe {

run::Losses lost_counts(int map, std::string what, std::string full)
{
    static_assert(TABLE_FULL == 0 && TABLE_UNREADABLE == 1 && TABLE_CALLS == 2 && TABLE_LOST == 3);
    return run::Losses(map, {.what = std::move(what),
                             .reasons = {std::move(full), "their value could not be read",
                                         "too many calls were under way at the same time"},
                             .reported = run::Losses::Reported::AsNotCounted});
}

}  // namespace uscope::probe
