// A run of a tool that shows what its programs have gathered, at the end or every few seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::run {

class Loop;
class Tool;
struct Targets;

class Intervals {
  public:
    struct Style {
        char duration = 'd';
        std::optional<double> interval = {};  // without -i; nothing: only at the end
        bool always_time = false;             // no -T: the time is always shown
    };
    // -i, -d, -n, -T
    void declare(Tool &tool, const Style &style);
    void declare(Tool &tool) { declare(tool, Style()); }
    Result<> check() const;

    // Says "ready" and runs until a signal, the end of the time or of the outputs, or of those it
    // ends with. `show` is called at the end of each interval, and for the rest at the
    // end of the run: once without -i. `prepare` adds what else the loop is to look after.
    Result<> run(Tool &tool, Targets targets, const std::function<Result<>()> &show,
                 const std::function<Result<>(Loop &)> &prepare = {});

    bool shows_time() const { return timestamps_; }  // -T
    // For tools that also take words: DURATION as -d, INTERVAL and COUNT as -i and -n. Errors: there are
    // more.
    Result<> take_duration(const std::vector<std::string> &words);
    Result<> take_interval(const std::vector<std::string> &words);
    bool repeats() const { return interval_.has_value(); }
    // For the text form: the line of -T, if it was asked for.
    void append_time(std::string &out) const;

  private:
    std::optional<double> interval_, duration_;
    std::optional<uint64_t> outputs_;
    bool timestamps_ = false;
    char duration_name_ = 'd';
};

}  // namespace uscope::run
