// Creates a histogram of given values, each counted `times` times, in the slots that BPF programs
// use.
#pragma once

#include <vector>

#include "output/histogram.h"

namespace uscope::output {

inline Histogram histogram_of(const std::vector<uint64_t> &values, uint64_t times = 1)
{
    Histogram histogram;
    for (uint64_t value : values)
        histogram.add(histogram_slot_of(value), {times, value * times, value});
    return histogram;
}

}  // namespace uscope::output
