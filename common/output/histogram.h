// Histograms as the programs keep them (bpf/lib/histogram.h): added up, and asked for percentiles.
//
// The unit is the program's: BCC divides a time before it takes the logarithm, and so do the
// programs, for the rows of a table in microseconds cannot be had from slots in nanoseconds (1024
// us is no power of two of nanoseconds). So values are not scaled here; who prints names the unit. Each
// value lost its fraction of a unit; the sum has it, for it is kept in nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/histogram.h"

namespace uscope::output {

struct Range {
    uint64_t low, high;  // both within
    bool operator==(const Range &) const = default;
};

// The values that `slot`, not HISTOGRAM_NEGATIVE, stands for: slot 33 is 34 … 35.
Range slot_range(uint32_t slot);

class Histogram {
  public:
    using Sum = unsigned __int128;

    // `parts`: the slots' sums are in so small parts of a unit.
    explicit Histogram(uint64_t parts) : parts_(parts) {}
    Histogram() = default;

    // To `slot` (< HISTOGRAM_SLOTS): once for each processor whose slots these are.
    void add(uint32_t slot, const histogram_slot &values);
    void merge(const Histogram &other);  // of the same unit and parts

    // Values below zero have one slot for all, so nothing is known of their distribution: they are
    // counted apart. Everything else here is about the values that are not below zero.
    uint64_t negative() const { return negative_; }
    bool empty() const { return count_ == 0 && negative_ == 0; }

    uint64_t count() const { return count_; }
    Sum sum() const;           // exact up to 2^68 parts, rounded down to units
    uint64_t average() const;  // rounded down; 0 without values, as the next three
    uint64_t min() const;      // not more than it, and at most 1/16 less
    uint64_t max() const;      // exact
    // The value that `per_mille` of all values do not exceed (500: the median). Values are taken to
    // lie evenly between their slot's low end and its largest one, so the result is at most 1/16 of
    // the true value off it. 1000, and whatever falls on a slot's largest value, is exact.
    uint64_t percentile(uint32_t per_mille) const;

    // Of the slots from 0 on; those behind the last are empty. The maxima are within their slots.
    const std::vector<histogram_slot> &slots() const { return slots_; }

  private:
    Sum sum_of_parts() const;

    uint64_t parts_ = 1;
    std::vector<histogram_slot> slots_;
    uint64_t count_ = 0, negative_ = 0;
};

}  // namespace uscope::output
