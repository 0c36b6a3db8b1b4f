// Reports what a tool could not show or count, and why. All tools use this.
//
// A tool's BPF programs count losses by reason in a per-CPU array. Each reason is reported by a
// line on standard error, and with --json also by an object in the output:
//
//     killsnoop: lost 3 events: the buffer was full
//     {"type":"lost","time_ns":1700000000000000000,"count":3,"what":"events","reason":"the buffer was full"}
//
// The tool also reports hits of kernel probes for which the kernel ran no program
// (attach::missed_kernel_hits). total() does not include them, because it is unknown whether the
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
    // The words of the line: "lost 3 events", or for tools that count, "3 events are not counted".
    enum class Reported : uint8_t { AsLost, AsNotCounted };
    struct Style {
        std::string what = "events";
        std::vector<std::string> reasons = {"the buffer was full"};  // the index is the map's key
        Reported reported = Reported::AsLost;
        size_t json_from = 0;  // for reasons before this index, the tool itself writes the JSON
    };

    Losses() = default;  // never has losses
    // `map`: a per-CPU array with a key for each reason.
    Losses(int map, Style style);

    // Reports the losses since the last call.
    Result<> report(Tool &tool);
    uint64_t total() const;  // the sum of all losses that were reported, missed hits excluded

  private:
    void report(Tool &tool, size_t index, uint64_t count) const;
    void report_missed(Tool &tool);

    int map_ = -1;
    Style style_;
    std::vector<uint64_t> before_;
    uint64_t missed_before_ = 0;
};

// For losses about which the tool prints a note of its own: counts them for the metrics
// (Tool::losses), and with --json writes the object.
void record_loss(Tool &tool, uint64_t count, std::string_view what, std::string_view reason);

}  // namespace uscope::run
