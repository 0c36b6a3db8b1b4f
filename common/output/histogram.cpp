// Merges slots, and recovers exact sums from slots that keep them modulo 2^64.
#include "output/histogram.h"

#include <algorithm>

namespace uscope::output {

namespace {

using Sum = Histogram::Sum;

// A slot keeps the sum modulo 2^64. The true sum is at least count * low, and exceeds that by less
// than 2^64 as long as count * (high + 1 - low) is less than 2^64; all in parts.
Sum exact_sum(uint32_t slot, const histogram_slot &values, uint64_t parts)
{
    Sum least = Sum(values.count) * slot_range(slot).low * parts;
    return least + (values.sum - static_cast<uint64_t>(least));
}

// The `rank`-th smallest (from 1) of a slot's values, if they are spread evenly up to the largest.
uint64_t interpolate(uint64_t low, const histogram_slot &values, uint64_t rank)
{
    if (rank == values.count)
        return values.max;
    Sum width = Sum(values.max - low) + 1;  // at most 2^59 + 1
    return low + static_cast<uint64_t>((2 * Sum(rank) - 1) * width / (2 * Sum(values.count)));
}

}  // namespace

Range slot_range(uint32_t slot)
{
    constexpr uint32_t slots = 1 << HISTOGRAM_BITS;  // slots per power of two
    if (slot < slots)
        return {slot, slot};
    uint32_t shift = slot / slots - 1;
    uint64_t low = static_cast<uint64_t>(slots + slot % slots) << shift;
    return {low, low + ((1ull << shift) - 1)};
}

void Histogram::add(uint32_t slot, const histogram_slot &values)
{
    if (values.count == 0)
        return;
    if (slot == HISTOGRAM_NEGATIVE) {
        negative_ += values.count;
        return;
    }
    if (slot >= slots_.size())
        slots_.resize(slot + 1);
    // A slot that was read while a program was adding its first value may not have a maximum yet.
    Range range = slot_range(slot);
    histogram_slot &into = slots_[slot];
    into.count += values.count;
    into.sum += values.sum;
    into.max =
        std::max<uint64_t>(into.max, std::clamp<uint64_t>(values.max, range.low, range.high));
    count_ += values.count;
}

void Histogram::merge(const Histogram &other)
{
    for (uint32_t slot = 0; slot < other.slots_.size(); slot++)
        add(slot, other.slots_[slot]);
    negative_ += other.negative_;
}

Sum Histogram::sum_of_parts() const
{
    Sum total = 0;
    for (uint32_t slot = 0; slot < slots_.size(); slot++)
        total += exact_sum(slot, slots_[slot], parts_);
    return total;
}

Sum Histogram::sum() const
{
    return sum_of_parts() / parts_;
}

uint64_t Histogram::average() const
{
    return count_ ? static_cast<uint64_t>(sum_of_parts() / (Sum(count_) * parts_)) : 0;
}

uint64_t Histogram::min() const
{
    for (uint32_t slot = 0; slot < slots_.size(); slot++) {
        if (slots_[slot].count == 1)
            return slots_[slot].max;
        if (slots_[slot].count)
            return slot_range(slot).low;
    }
    return 0;
}

uint64_t Histogram::max() const
{
    return slots_.empty() ? 0 : slots_.back().max;  // the last slot always has values
}

uint64_t Histogram::percentile(uint32_t per_mille) const
{
    Sum rank = std::max<Sum>((Sum(count_) * per_mille + 999) / 1000, 1);
    uint64_t before = 0;
    for (uint32_t slot = 0; slot < slots_.size(); slot++) {
        const histogram_slot &values = slots_[slot];
        if (rank <= Sum(before) + values.count)
            return interpolate(slot_range(slot).low, values, static_cast<uint64_t>(rank - before));
        before += values.count;
    }
    return max();
}

}  // namespace uscope::output
