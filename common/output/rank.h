// The order of a table's rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace uscope::output {

// The entries of a map, that with the greatest `rank` last, as BCC has it; of equals the one with
// the greater key. With `top` only so many of the greatest.
template <class Map, class Rank>
std::vector<const typename Map::value_type *> ranked(const Map &map, Rank rank,
                                                     std::optional<uint64_t> top)
{
    std::vector<const typename Map::value_type *> order;
    order.reserve(map.size());
    for (const auto &entry : map)
        order.push_back(&entry);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto *a, auto *b) { return rank(a->second) < rank(b->second); });
    if (top && order.size() > *top)
        order.erase(order.begin(), order.end() - *top);
    return order;
}

}  // namespace uscope::output
