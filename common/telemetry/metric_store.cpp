// Counts by metric and labels.
//
// The bounds of a kernel's histogram are its powers of two, less one part: 1023, 2047 …
// Prometheus's `le` includes the bound, so 1024 as a bound would claim values that are in the next
// slots.
#include "telemetry/metric_store.h"

#include <algorithm>

namespace uscope::telemetry {
namespace {

constexpr std::string_view other = "other";

// argdist's specifiers are few, and their values have different buckets.
constexpr std::string_view label_of_all = "probe";

std::string_view shown(const Labels::value_type &label, bool is_other)
{
    return is_other && label.first != label_of_all ? other : std::string_view(label.second);
}

// Appends the labels as the key of their series.
void append_key(std::string &key, const Labels &labels, bool is_other)
{
    for (const auto &label : labels) {
        key.append(label.first).push_back('\0');
        key.append(shown(label, is_other)).push_back('\0');
    }
}

size_t bucket_of(const std::vector<int64_t> &bounds, int64_t value)
{
    return size_t(std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
}

// For times, from 1 us to 69 s; for values, from -1 (all below zero) to 2^40.
Bounds kernel_bounds(Metric::Unit unit, uint64_t parts)
{
    constexpr int64_t least_ns = 1000, most_ns = 69'000'000'000, most = 1ll << 40;
    bool is_time = unit == Metric::Unit::Seconds;
    std::vector<int64_t> bounds;
    if (!is_time)
        bounds = {-1};
    for (int64_t next = int64_t(parts); next <= (is_time ? most_ns : most); next *= 2)
        if (!is_time || next >= least_ns)
            bounds.push_back(next - 1);
    return std::make_shared<const std::vector<int64_t>>(std::move(bounds));
}

Bounds linear_bounds(const output::LinearScale &scale)
{
    std::vector<int64_t> bounds = {int64_t(uint64_t(scale.min) - 1)};
    for (size_t i = 1; i + 2 < scale.buckets(); i++)
        bounds.push_back(int64_t(uint64_t(scale.min) + i * scale.step - 1));
    bounds.push_back(scale.max - 1);
    return std::make_shared<const std::vector<int64_t>>(std::move(bounds));
}

// The greatest value in the slot, in parts.
int64_t greatest_in(uint32_t slot, uint64_t parts)
{
    using Wide = unsigned __int128;
    Wide greatest = (Wide(output::slot_range(slot).high) + 1) * parts - 1;
    return int64_t(std::min<Wide>(greatest, INT64_MAX));
}

}  // namespace

MetricStore::Series &MetricStore::at(const Metric &metric, const Labels &labels, uint64_t events,
                                     bool is_set)
{
    Family &family = families_.try_emplace(metric.name, Family{metric, {}}).first->second;
    key_.clear();
    append_key(key_, labels, false);
    auto found = family.series.find(key_);
    bool is_other = found == family.series.end() && !is_set && series_ >= max_series_;
    if (is_other) {
        others_ += events;
        key_.clear();
        append_key(key_, labels, true);
        found = family.series.find(key_);
    }
    if (found == family.series.end()) {
        found = family.series.emplace(key_, Series()).first;
        for (const auto &label : labels)
            found->second.labels.emplace_back(label.first, shown(label, is_other));
        found->second.is_set = is_set;
        series_ += !is_set && !is_other;
    }
    found->second.round = round_;
    return found->second;
}

MetricStore::Series &MetricStore::at(const Metric &metric, const Labels &labels,
                                     const Bounds &bounds, uint64_t events)
{
    Series &series = at(metric, labels, events);
    if (!series.bounds)
        series.bounds = bounds;
    series.counts.resize(series.bounds->size() + 1);
    series.count += events;
    return series;
}

void MetricStore::add(const Metric &metric, const Labels &labels, Total value, uint64_t events)
{
    at(metric, labels, events).total += value;
}

void MetricStore::set(const Metric &metric, const Labels &labels, Total value)
{
    at(metric, labels, 0, true).total = value;
}

void MetricStore::add_value(const Metric &metric, const Labels &labels, const Bounds &bounds,
                            int64_t value)
{
    Series &series = at(metric, labels, bounds, 1);
    series.counts[bucket_of(*series.bounds, value)]++;
    series.total += value;
}

void MetricStore::add_histogram(const Metric &metric, const Labels &labels,
                                const output::Histogram &histogram, uint64_t parts)
{
    Series &series = at(metric, labels, kernel_bounds(metric.unit, parts),
                        histogram.count() + histogram.negative());
    series.total += Total(histogram.sum_of_parts());
    if (histogram.negative())
        series.has_sum = false;
    series.counts[0] += histogram.negative();
    for (uint32_t slot = 0; slot < histogram.slots().size(); slot++)
        series.counts[bucket_of(*series.bounds, greatest_in(slot, parts))] +=
            histogram.slots()[slot].count;
}

void MetricStore::add_linear(const Metric &metric, const Labels &labels,
                             const output::LinearScale &scale, const std::vector<uint64_t> &counts)
{
    uint64_t events = 0;
    for (uint64_t count : counts)
        events += count;
    Series &series = at(metric, labels, linear_bounds(scale), events);
    series.has_sum = false;
    for (size_t i = 0; i < std::min(counts.size(), series.counts.size()); i++)
        series.counts[i] += counts[i];
}

void MetricStore::reset()
{
    for (auto &[name, family] : families_) {
        for (auto &[key, series] : family.series) {
            series.total = 0;
            series.count = 0;
            std::fill(series.counts.begin(), series.counts.end(), 0);
        }
    }
}

void MetricStore::drop_ended()
{
    for (auto &[name, family] : families_) {
        series_ -= std::erase_if(family.series, [this](const auto &entry) {
            const Series &series = entry.second;
            bool is_other = std::any_of(series.labels.begin(), series.labels.end(),
                                        [](const auto &label) { return label.second == other; });
            return series.round != round_ && !is_other && !series.is_set;
        });
    }
}

}  // namespace uscope::telemetry
