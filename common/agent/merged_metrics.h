// Metrics of several tools as one text of Prometheus, in which each family is once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace uscope::agent {

class MergedMetrics {
  public:
    // `text`: as telemetry::metric_text() writes it. `tool`: the label `tool` of all its samples;
    // "": they get none. A label of this name in the text becomes `exported_tool`, as Prometheus
    // names such labels.
    void add(std::string_view text, std::string_view tool);
    std::string text() const;

  private:
    struct Family {
        std::string head, samples;  // head: # HELP and # TYPE
    };
    Family &at(std::string_view name);

    std::vector<std::pair<std::string, Family>> families_;  // by name, as they came
};

}  // namespace uscope::agent
