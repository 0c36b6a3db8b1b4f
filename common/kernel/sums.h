// Reads the tables in which programs add up values (bpf/lib/sums.h). As in kernel/map.h, nothing is
// deleted: what was added in an interval is the difference of two readings.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "kernel/map.h"

namespace uscope::kernel {

struct Sum {
    using Total = __int128;

    Total total = 0;  // exact
    // Of no value if min > max: nobody asked for the extremes.
    int64_t min = std::numeric_limits<int64_t>::max(), max = std::numeric_limits<int64_t>::min();

    bool has_extremes() const { return min <= max; }
    void merge(const Sum &other);
};

// One for each expression.
using Sums = std::vector<Sum>;

// The size of a table's values, in bytes.
uint32_t sums_bytes(size_t expressions);

class SumReader {
  public:
    SumReader(int map, size_t expressions);
    SumReader(SumReader &&) noexcept;
    ~SumReader();

    // Calls `add` for each entry whose count has grown, with what was added. `interval` is the
    // number of the interval that has ended: the frontend has already increased the programs'
    // sums_interval (or never does, if it wants the extremes since the start). An event at the
    // border of two intervals may show in the extremes of both.
    using Since = TableReader::Since;
    using Add = std::function<void(Bytes key, uint64_t count, const Sums &added)>;
    Result<> take(Since since, uint64_t interval, const Add &add);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::kernel
