// The options --every and --sample: the programs count only some of the events
// (bpf/lib/sample.bpf.h), and the tool multiplies what they counted.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "bpf/lib/histogram.h"
#include "kernel/sums.h"
#include "run/tool.h"

namespace uscope::probe {

class Sampling {
  public:
    void declare(run::Tool &tool);
    Result<> check();

    bool any() const { return every_ > 1 || chance_; }
    // Sets the constants of the programs. Call it before the object is loaded.
    template <class Object>
    void apply(Object &object) const
    {
        object->rodata->sample_every = every_ > 1 ? every_ : 0;
        object->rodata->sample_chance = chance_;
    }

    // Estimates of all events from what was counted.
    uint64_t scaled(uint64_t count) const { return uint64_t(scaled(kernel::Sum::Total(count))); }
    kernel::Sum::Total scaled(kernel::Sum::Total total) const;
    histogram_slot scaled(const histogram_slot &slot) const;

    // Says that the numbers are estimates.
    void note(run::Tool &tool) const;

  private:
    unsigned every_ = 1;
    std::string rate_;     // as typed
    uint32_t chance_ = 0;  // of 2^32
};

}  // namespace uscope::probe
