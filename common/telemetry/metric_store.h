// Metrics in memory: what was counted since the tool has started, by metric and labels. Written in
// Prometheus's form (metric_text.h) or OpenTelemetry's (otlp_metrics.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/histogram.h"
#include "output/histogram_text.h"

namespace uscope::telemetry {

// What all series of a metric have in common.
struct Metric {
    enum class Kind : uint8_t { Counter, Sum, Histogram };  // a Sum may become smaller
    enum class Unit : uint8_t { None, Seconds, Bytes };     // values of Seconds are nanoseconds

    std::string_view name;  // OpenTelemetry's: "http.server.request.duration"
    Kind kind;
    Unit unit;
    std::string_view help;  // a sentence
};

constexpr Metric histogram_of_time(std::string_view name, std::string_view help)
{
    return {name, Metric::Kind::Histogram, Metric::Unit::Seconds, help};
}
constexpr Metric histogram_of_bytes(std::string_view name, std::string_view help)
{
    return {name, Metric::Kind::Histogram, Metric::Unit::Bytes, help};
}

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// The greatest values of a histogram's buckets, ascending. One more bucket has the greater values.
using Bounds = std::shared_ptr<const std::vector<int64_t>>;

class MetricStore {
  public:
    using Total = __int128;
    struct Series {
        std::vector<std::pair<std::string, std::string>> labels;
        Total total = 0;  // Histogram: the sum of the values
        // of a histogram:
        Bounds bounds = {};
        std::vector<uint64_t> counts = {};  // of each bucket, and above the last bound
        uint64_t count = 0;
        bool has_sum = true;  // false: the sum is unknown
        unsigned round = 0;   // the last one in which something was added
        bool is_set = false;  // by set()
    };
    struct Family {
        Metric metric;
        std::map<std::string, Series, std::less<>> series;
    };

    // Beyond this number of series, the events of new ones count as those of a series whose labels
    // are all "other".
    explicit MetricStore(uint64_t max_series) : max_series_(max_series) {}

    // Adds to a Counter or Sum. `events`: how many events that is, for others().
    void add(const Metric &metric, const Labels &labels, Total value, uint64_t events);
    // Sets a Counter or Sum. Such series are outside the limit of their number, and stay.
    void set(const Metric &metric, const Labels &labels, Total value);
    // Add to a Histogram: a value, all of a kernel's histogram whose unit has `parts` parts, or
    // linear buckets. The bounds of a series are those of the first call.
    void add_value(const Metric &metric, const Labels &labels, const Bounds &bounds, int64_t value);
    void add_histogram(const Metric &metric, const Labels &labels,
                       const output::Histogram &histogram, uint64_t parts);
    void add_linear(const Metric &metric, const Labels &labels, const output::LinearScale &scale,
                    const std::vector<uint64_t> &counts);

    // For callers that know the totals: makes all values 0, but keeps the series.
    void reset();
    // For series that can end, such as those of processes: drop_ended() removes the series to which
    // nothing was added since begin_round().
    void begin_round() { round_++; }
    void drop_ended();

    const std::map<std::string_view, Family> &families() const { return families_; }
    uint64_t max_series() const { return max_series_; }
    uint64_t others() const { return others_; }  // events that count as "other"

  private:
    Series &at(const Metric &metric, const Labels &labels, uint64_t events, bool is_set = false);
    Series &at(const Metric &metric, const Labels &labels, const Bounds &bounds, uint64_t events);

    uint64_t max_series_, series_ = 0, others_ = 0;
    unsigned round_ = 0;
    std::map<std::string_view, Family> families_;  // by Metric::name, which is a literal
    std::string key_;                              // at() reuses its memory
};

}  // namespace uscope::telemetry
