// The options --every and --sample: the programs handle only some of the events
// (expr::SampledEvents), and the tool multiplies what they counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bpf/lib/histogram.h"
#include "kernel/sums.h"
#include "probe/build_options.h"
#include "run/tool.h"

namespace uscope::probe {

class Sampling {
  public:
    // `handle`: what the tool does with an event. `rest`: with the results, such as ", and multiply
    // the results".
    void declare(run::Tool &tool, std::string_view handle = "count",
                 std::string_view rest = ", and multiply the results");
    Result<> check();

    bool any() const { return every_ > 1 || chance_; }
    void apply(BuildOptions &build) const { build.sampled = {every_ > 1 ? every_ : 0, chance_}; }

    // Estimates of all events from what was counted.
    uint64_t scaled(uint64_t count) const { return uint64_t(scaled(kernel::Sum::Total(count))); }
    kernel::Sum::Total scaled(kernel::Sum::Total total) const;
    histogram_slot scaled(const histogram_slot &slot) const;

    // What to say if nothing was counted or shown, of events or because none of them was chosen.
    std::string or_none_chosen(std::string_view nothing) const
    {
        return std::string(nothing) + (any() ? ", or none of the events was chosen" : "");
    }

    // Says that the numbers are estimates; with `shows_events`, that only some events are shown.
    void note(run::Tool &tool, bool shows_events = false) const;

  private:
    unsigned every_ = 1;
    std::string rate_;     // as typed
    uint32_t chance_ = 0;  // of 2^32
};

}  // namespace uscope::probe
