// Runs a tool that shows what its programs have counted, at the end of the run or at each interval.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "run/live.h"

namespace uscope::run {

struct Targets;

class Intervals {
  public:
    struct Style {
        char duration = 'd';                  // the letter of --duration
        std::optional<double> interval = {};  // default of -i; nullopt: output only at the end
        bool always_time = false;             // always show the time; there is no option -T
        bool live = false;                    // has --live
    };
    // Declares -i, -d, -n and -T.
    void declare(Tool &tool, const Style &style);
    void declare(Tool &tool) { declare(tool, Style()); }
    Result<> check() const;

    // Calls Tool::ready(what) and runs until a signal arrives, the time of -d has passed, the last
    // output of -n is done, or all `targets` have ended. Calls `show` at the end of each interval
    // and at the end of the run; without -i, only at the end of the run. `prepare` may add other
    // descriptors and timers to the loop, and change `what`.
    Result<> run(Tool &tool, const std::string &what, Targets targets,
                 const std::function<Result<>()> &show,
                 const std::function<Result<>(Loop &)> &prepare = {});

    bool shows_time() const { return timestamps_; }  // by -T or Style::always_time
    // For tools that take these settings also as positional arguments. `words` are DURATION, which
    // sets -d, or INTERVAL and COUNT, which set -i and -n. Errors: too many words, or they are not
    // numbers.
    Result<> take_duration(const std::vector<std::string> &words);
    Result<> take_interval(const std::vector<std::string> &words);
    bool repeats() const { return interval_.has_value(); }
    // --live without -i: each output shows what was counted since the start.
    bool shows_totals() const { return live_.is_given() && !interval_; }
    Live &live() { return live_; }
    // Appends a line with the time of day if shows_time().
    void append_time(std::string &out) const;

  private:
    std::optional<double> interval_, duration_;
    std::optional<uint64_t> outputs_;
    bool timestamps_ = false;
    char duration_name_ = 'd';
    Live live_;
};

}  // namespace uscope::run
