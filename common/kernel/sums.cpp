// Adds up the sums of all CPUs.
#include "kernel/sums.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "bpf/lib/sums.h"

namespace uscope::kernel {
namespace {

constexpr uint64_t sign = uint64_t(1) << 63;

void add_extremes(Sum &sum, const struct sum &values, uint64_t interval)
{
    for (const sums_extremes &extremes : values.extremes) {
        // 0 means that there are none, or the least value of 64 bits, which is no extreme of
        // anything real.
        if (extremes.interval < interval || (!extremes.max && !extremes.min))
            continue;
        sum.max = std::max(sum.max, int64_t(extremes.max ^ sign));
        sum.min = std::min(sum.min, int64_t(~extremes.min ^ sign));
    }
}

}  // namespace

void Sum::merge(const Sum &other)
{
    total += other.total;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
}

uint32_t sums_bytes(size_t expressions)
{
    return sizeof(uint64_t) + expressions * sizeof(struct sum);
}

struct SumReader::State {
    int map;
    size_t expressions;
    struct Totals {
        uint64_t count = 0;
        Sums sums = {};
    };
    std::unordered_map<std::string, Totals> before = {};

    Totals totals(Bytes values, uint64_t interval) const;
};

SumReader::SumReader(int map, size_t expressions) : state_(new State{map, expressions}) {}
SumReader::SumReader(SumReader &&) noexcept = default;
SumReader::~SumReader() = default;

SumReader::State::Totals SumReader::State::totals(Bytes values, uint64_t interval) const
{
    Totals totals;
    totals.sums.resize(expressions);
    for (size_t at = 0; at < values.size(); at += sums_bytes(expressions)) {
        totals.count += values.read<uint64_t>(at).value_or(0);
        for (size_t i = 0; i < expressions; i++) {
            auto one = values.read<struct sum>(at + sums_bytes(i)).value_or((struct sum){});
            totals.sums[i].total += (Sum::Total(one.high) << 32) + one.low;
            add_extremes(totals.sums[i], one, interval);
        }
    }
    return totals;
}

Result<> SumReader::take(Since since, uint64_t interval, const Add &add)
{
    return read_map(state_->map, [&](Bytes key, Bytes values) {
        State::Totals added = state_->totals(values, interval);
        if (since == Since::LastTime && added.count) {
            State::Totals &before = state_->before[std::string(key.text())];
            State::Totals now = added;
            before.sums.resize(state_->expressions);
            added.count -= before.count;
            for (size_t i = 0; i < state_->expressions; i++)
                added.sums[i].total -= before.sums[i].total;
            before = std::move(now);
        }
        if (added.count)
            add(key, added.count, added.sums);
    });
}

}  // namespace uscope::kernel
