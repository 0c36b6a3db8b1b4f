// Orders the rows of a table.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::output {

// Compares texts, and numbers within them by value: "fd = -10" < "fd = -9" < "fd = 9" < "fd = 10".
// Texts that differ only in leading zeros of numbers are equal.
std::weak_ordering by_numbers(std::string_view a, std::string_view b);

// Sorts the entries of a map by `rank`, the greatest last, as BCC does; entries of equal rank stay
// in the order of their keys. With `top`, returns only that many of the greatest.
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
