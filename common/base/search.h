// A binary search in a table whose entries have to be parsed to be compared.
#pragma once

#include <cstdint>

namespace uscope {

// Returns the number of entries, of `count`, that come before the first one for which
// `is_after(number)` is true. It must be false for all before that one, and true for all behind it.
template <class IsAfter>
uint64_t count_before(uint64_t count, const IsAfter &is_after)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_after(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

}  // namespace uscope
