// Metrics of tools that show histograms of groups (output/histogram_rows.h) at intervals. Scrapes
// come between the intervals, so what was read for them is kept for the next output.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "output/histogram_rows.h"
#include "telemetry/metrics.h"

namespace uscope::telemetry {

template <class Group>
class GroupMetrics {
  public:
    using Histograms = std::map<Group, output::Histogram>;
    using Take = std::function<Result<Histograms>()>;

    // The labels are the fields of `rows`. `parts`: of a unit of the histograms. `take`: what was
    // counted since its last call.
    GroupMetrics(run::Tool &tool, const MetricOptions &options, Metric metric,
                 const output::HistogramRows<Group> &rows, uint64_t parts, Take take)
        : metrics_(tool, options),
          metric_(metric),
          rows_(rows),
          parts_(parts),
          take_(std::move(take))
    {
    }

    Result<> start(run::Loop &loop)
    {
        return metrics_.start(loop, [this] { return collect(); });
    }
    // Returns what was counted since the last call, or since the start (`is_total`).
    Result<Histograms> take(bool is_total)
    {
        TRY(collect());
        return is_total ? pending_ : std::exchange(pending_, {});
    }
    void end() { metrics_.end(); }

  private:
    Result<> collect()
    {
        Histograms added = TRY(take_());
        for (const auto &[group, histogram] : added) {
            if (metrics_.any())
                metrics_.store().add_histogram(metric_, labels_of(group), histogram, parts_);
        }
        if (pending_.empty())
            pending_ = std::move(added);
        else
            for (const auto &[group, histogram] : added)
                pending_.try_emplace(group, parts_).first->second.merge(histogram);
        return {};
    }
    Labels labels_of(const Group &group) const
    {
        Labels labels;
        rows_.each_label(group, [&](std::string_view name, const output::Cell &cell) {
            std::string value;
            output::append_text(value, cell, true);
            labels.emplace_back(name, std::move(value));
        });
        return labels;
    }

    Metrics metrics_;
    Metric metric_;
    const output::HistogramRows<Group> &rows_;
    uint64_t parts_;
    Take take_;
    Histograms pending_;  // not shown yet
};

}  // namespace uscope::telemetry
