// The tools' budget of processor time: chooses which tool is paused, and for how long.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace uscope::agent {

class Budget {
  public:
    static constexpr uint64_t window_ns = 10'000'000'000, first_pause_ns = 30'000'000'000,
                              longest_pause_ns = 3'600'000'000'000;

    // What tools that are up have used since they were up, by name.
    using Used = std::map<std::string, uint64_t>;
    struct Pause {
        std::string name;       // the tool that used most
        double used, all_used;  // by it and by all tools in the window, in processors
        uint64_t ns;
    };

    // `processors`: the budget; 0: none.
    void set(double processors) { processors_ = processors; }
    // Call it often. At the end of a window in which the tools used more than the budget, returns
    // which one has to pause. Each pause is twice as long as the tool's last one, until it has run
    // for an hour without one.
    std::optional<Pause> check(uint64_t now_ns, const Used &used);

  private:
    struct Paused {
        uint64_t length_ns = 0, end_ns = 0;
    };
    uint64_t next_pause_ns(uint64_t now_ns, const std::string &name);

    double processors_ = 0;
    uint64_t start_ns_ = 0;  // of the window; 0: none yet
    Used at_start_;
    std::map<std::string, Paused> paused_;
};

}  // namespace uscope::agent
