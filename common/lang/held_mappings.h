// What is still held of mappings of memory, when ranges have been unmapped and others mapped since.
//
//      time 1   mapped    0x1000-0x5000        |aaaa|
//      time 2   unmapped  0x2000-0x3000        |a aa|
//      time 3   mapped    0x4000-0x7000        |a abbb|        2 pages of a, 3 of b
#pragma once

#include <cstdint>
#include <vector>

namespace uscope::lang {

struct MappedRange {
    uint64_t ts_ns, address, bytes;
    bool is_hole = false;  // unmapped
};

struct RangeState {
    uint64_t bytes = 0;      // of a mapping: that are held now
    bool is_needed = false;  // of a hole: there is an older mapping in it
};

// Of each range, in the order given. `bytes` of a mapping may end within a page: all of it is held as long as its pages are.
std::vector<RangeState> held_ranges(const std::vector<MappedRange> &ranges);

}  // namespace uscope::lang
