// Reports what a tool could not show or count, and why, in the same way for all tools.
//
// The programs count losses by reason in a per-CPU array. Each reason is reported as a line on
// standard error, and with --json also as an object in the output:
//
//     killsnoop: lost 3 events: the buffer was full
//     {"type":"lost","time_ns":1700000000000000000,"count":3,"what":"events","reason":"the buffer was full"}
//
// Also reported are hits of kernel probes for which the kernel ran no program
// (attach::missed_kernel_hits). They are not counted as events, because it is unknown whether the
// filters would have passed them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace uscope::run {

class Tool;

class Losses {
  public:
    enum class Reported : uint8_t { AsLost, AsNotCounted };  // AsNotCounted: for tools that count
    struct Style {
        std::string what = "events";
        std::vector<std::string> reasons = {"the buffer was full"};  // indexed by the map's key
        Reported reported = Reported::AsLost;
        size_t json_from = 0;  // the tool itself writes the JSON objects of the reasons before this
    };

    Losses() = default;  // never has losses
    // `map`: a per-CPU array with a key for each reason.
    Losses(int map, Style style);

    // Reports the losses since the last call.
    Result<> report(Tool &tool);
    uint64_t total() const;  // reported losses of all reasons

  private:
    void report(Tool &tool, size_t index, uint64_t count) const;
    void report_missed(Tool &tool);

    int map_ = -1;
    Style style_;
    std::vector<uint64_t> before_;
    uint64_t missed_before_ = 0;
};

// Appends only the JSON object, for losses that the tool notes in its own words.
void append_loss(std::string &out, uint64_t count, std::string_view what, std::string_view reason);

}  // namespace uscope::run
