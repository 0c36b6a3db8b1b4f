// Finds out how much of each mapping of memory is still held, after later calls have unmapped parts
// of it or mapped over it.
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
    uint64_t bytes = 0;      // mapping: how many are still held
    bool is_needed = false;  // hole: it cuts an older mapping
};

// Returns the state of each range, in the given order. If a mapping's `bytes` end within a page and
// all of its pages are held, its state has just these bytes.
std::vector<RangeState> held_ranges(const std::vector<MappedRange> &ranges);

}  // namespace uscope::lang
