// The command-line options of tools that show latencies as histograms: the unit, and --min.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "output/heatmap.h"

namespace uscope::run {

class Tool;

struct LatencyUnit {
    uint64_t ns;
    const char *name, *suffix;  // "usecs", "us"
    output::Heatmap::Unit heatmap;
};

class LatencyOptions {
  public:
    void declare_min(Tool &tool);
    void declare_unit(Tool &tool);  // -u, -m
    Result<> check() const;

    LatencyUnit unit() const;  // without -u and -m: nanoseconds
    bool has_unit() const { return usecs_ || msecs_; }
    bool has_min() const { return !min_text_.empty(); }
    // The time of --min, whose default unit is unit(); 0 without --min. Errors: it is not a time.
    Result<uint64_t> min_ns() const;

  private:
    bool usecs_ = false, msecs_ = false;
    std::string min_text_;
};

}  // namespace uscope::run
