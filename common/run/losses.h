// What a tool could not show or count, and why: all tools report it in this one way.
//
// The programs count each reason in a per-CPU array. Each is reported as a line on standard error, and
// with --json also as an object in the output:
//
//     killsnoop: lost 3 events: the buffer was full
//     {"type":"lost","time_ns":1700000000000000000,"count":3,"what":"events","reason":"the buffer was full"}
//
// So are the hits of kernel probes for which the kernel ran no program (attach::missed_kernel_hits). These are no
// events: nobody knows whether the filters would have let them pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace uscope::run {

class Tool;

class Losses {
  public:
    enum class Reported : uint8_t { AsLost, AsNotCounted };  // "not counted": of tools that count
    struct Style {
        std::string what = "events";
        std::vector<std::string> reasons = {"the buffer was full"};  // by the keys of the map
        Reported reported = Reported::AsLost;
        size_t json_from = 0;  // the reasons before this one have objects of their own
    };

    Losses() = default;  // none ever
    // `map`: a per-CPU array with a key for each reason.
    Losses(int map, Style style);

    // Reports what was added since the last time.
    Result<> report(Tool &tool);
    uint64_t total() const;  // of all that was reported

  private:
    void report(Tool &tool, size_t index, uint64_t count) const;
    void tell_missed(Tool &tool);

    int map_ = -1;
    Style style_;
    std::vector<uint64_t> before_;
    uint64_t missed_before_ = 0;
};

// Only the object, for losses that have a sentence of their own.
void append_loss(std::string &out, uint64_t count, std::string_view what, std::string_view reason);

}  // namespace uscope::run
