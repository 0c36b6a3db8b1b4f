// Adds rows of counts and histograms (probe/table.h) to metrics. Their keys become labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "output/process_columns.h"
#include "probe/request.h"
#include "probe/table.h"
#include "telemetry/metric_store.h"

namespace uscope::probe {

// Returns the process of a row, if $pid is one of its keys. Needs Table::keep_texts().
std::optional<int64_t> pid_of(const ProbeRequest &probe, const Row &row);

class RowMetrics {
  public:
    using Columns = std::vector<output::ProcessColumn>;
    // `expressions`: those of Row::sums. `columns`: labels of rows with a process. The arguments
    // outlive this object.
    RowMetrics(telemetry::MetricStore &store, const ProbeRequest &probe,
               const std::vector<std::string> &expressions, const Columns &columns)
        : store_(store), probe_(probe), expressions_(expressions), columns_(columns)
    {
    }
    void add(const Row &row) const;

  private:
    telemetry::Metric value() const;
    telemetry::Labels labels(const Row &row) const;
    void add_counts(const Row &row) const;

    telemetry::MetricStore &store_;
    const ProbeRequest &probe_;
    const std::vector<std::string> &expressions_;
    const Columns &columns_;
};

}  // namespace uscope::probe
