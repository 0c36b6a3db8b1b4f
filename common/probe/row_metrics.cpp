// Chooses metrics and labels of rows.
#include "probe/row_metrics.h"

#include "base/text.h"

namespace uscope::probe {

using telemetry::Metric;

std::optional<int64_t> pid_of(const ProbeRequest &probe, const Row &row)
{
    for (size_t i = 0; i < row.texts.size(); i++) {
        if (probe.values[i].name == "$pid")
            return parse_number(row.texts[i]);
    }
    return std::nullopt;
}

void RowMetrics::add(const Row &row) const
{
    if (probe_.buckets)
        store_.add_linear(value(), labels(row), *probe_.buckets, row.buckets);
    else if (probe_.measured)
        store_.add_histogram(value(), labels(row), row.histogram, 1);
    else
        add_counts(row);
}

Metric RowMetrics::value() const
{
    if (probe_.measured_text == "$latency")
        return telemetry::histogram_of_time("uscope.latency", "Duration of calls.");
    return {"uscope.value", Metric::Kind::Histogram, Metric::Unit::None, "Values of expressions."};
}

telemetry::Labels RowMetrics::labels(const Row &row) const
{
    telemetry::Labels labels = {{"probe", probe_.label}};
    for (size_t i = 0; i < row.texts.size(); i++)
        labels.emplace_back(probe_.values[i].name, row.texts[i]);
    auto pid = columns_.empty() ? std::nullopt : pid_of(probe_, row);
    for (const output::ProcessColumn &column : columns_) {
        if (pid && !column.title.empty())
            labels.emplace_back(column.key, column.text(*pid));
    }
    return labels;
}

void RowMetrics::add_counts(const Row &row) const
{
    constexpr Metric events = {"uscope.events", Metric::Kind::Counter, Metric::Unit::None,
                               "Events, by the values of expressions."};
    constexpr Metric sums = {"uscope.sums", Metric::Kind::Sum, Metric::Unit::None,
                             "Sums of expressions."};
    auto labels = this->labels(row);
    store_.add(events, labels, row.count, row.count);
    for (size_t i = 0; i < row.sums.size(); i++) {
        auto of_sum = labels;
        of_sum.emplace_back("expression", expressions_[i]);
        store_.add(sums, of_sum, row.sums[i].total, row.count);
    }
}

}  // namespace uscope::probe
