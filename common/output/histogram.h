// Adds up histograms that BPF programs keep (bpf/lib/histogram.h), and computes percentiles.
//
// Values have the program's unit. Like BCC, the programs divide a time before they take the
// logarithm, because a table with rows in microseconds cannot be made from slots in nanoseconds
// (1024 us is not a power of two nanoseconds). So this class does not scale values; the caller that
// prints them names the unit. A value has lost its fraction of a unit, but the sum includes it,
// because the programs keep the sum in nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "bpf/lib/histogram.h"

namespace uscope::output {

struct Range {
    uint64_t low, high;  // both are in the range
    bool operator==(const Range &) const = default;
};

// The range of values of `slot`, which must not be HISTOGRAM_NEGATIVE: slot 33 is 34 … 35.
Range slot_range(uint32_t slot);

class Histogram {
  public:
    using Sum = unsigned __int128;

    // The values of `slots` are in units, but the sums are in parts, of which a unit has `parts`:
    // 1000 if values are in microseconds and sums in nanoseconds.
    explicit Histogram(uint64_t parts) : parts_(parts) {}
    Histogram() = default;

    // Adds one CPU's values to `slot` (< HISTOGRAM_SLOTS).
    void add(uint32_t slot, const histogram_slot &values);
    void merge(const Histogram &other);  // `other` must have the same unit and parts

    // All values below zero share one slot, so their distribution is unknown. They are counted
    // separately; the other functions ignore them.
    uint64_t negative() const { return negative_; }
    bool empty() const { return count_ == 0 && negative_ == 0; }

    uint64_t count() const { return count_; }
    Sum sum() const;           // exact up to 2^68 parts, rounded down to units
    Sum sum_of_parts() const;  // the same in parts
    uint64_t average() const;  // rounded down; this and the next three return 0 without values
    uint64_t min() const;      // at most 1/16 too low, never too high
    uint64_t max() const;      // exact
    // The value that `per_mille` of all values do not exceed (500: the median). It assumes that a
    // slot's values are spread evenly between the slot's low end and its largest value, so the
    // result differs from the true value by at most 1/16 of that. For 1000, and if the result is a
    // slot's largest value, it is exact.
    uint64_t percentile(uint32_t per_mille) const;

    // The slots from 0 up to the last that has values. Each slot's maximum is within its range.
    const std::vector<histogram_slot> &slots() const { return slots_; }

  private:
    uint64_t parts_ = 1;
    std::vector<histogram_slot> slots_;
    uint64_t count_ = 0, negative_ = 0;
};

}  // namespace uscope::output
