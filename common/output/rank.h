// The order of a table's rows.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::output {

// Of texts with numbers in them: "fd = -10" before "fd = -9" before "fd = 9" before "fd = 10". Texts whose numbers differ
// in nothing but leading zeros are equal.
std::weak_ordering by_numbers(std::string_view a, std::string_view b);

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
