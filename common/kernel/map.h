// Reads the maps in which programs count: the totals, or what was added since the last reading.
//
// Clearing a map at the start of an interval would lose what programs add between the read and the
// deletion of a value. BPF_MAP_LOOKUP_AND_DELETE_BATCH loses it as well: programs that have looked
// up a value still add to it while the kernel copies and deletes it. So nothing is deleted. Values
// only grow, and what was counted in an interval is the difference of two readings: nothing is
// lost, and nothing is counted twice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "bpf/lib/histogram.h"

namespace uscope::kernel {

struct MapRequest {
    std::string name;     // for the kernel's lists of maps
    bool is_hash = true;  // false: an array, whose key is a __u32 index
    uint32_t key_bytes = 4, value_bytes = 8, entries = 1;
    bool is_shared = false;  // one value for all CPUs, instead of one for each
};
// Creates a map for programs to count in. A hash allocates its entries one by one if the kernel
// lets programs do that (6.1), else all at once.
Result<Fd> create_table(const MapRequest &request);

// Creates an array with one entry, for a constant that programs read.
Result<Fd> create_constant(const std::string &name, Bytes value);

// Writes `count` values into an array map, the first to the index `first`. `values`: an array.
Result<> write_array(int map, uint32_t first, const void *values, uint32_t count);
template <class Value>
Result<> write_array(int map, uint32_t first, const std::vector<Value> &values)
{
    return write_array(map, first, values.data(), values.size());
}

// Calls `entry` for every entry of a hash or array map. The value of a per-CPU map has one element
// per CPU, each 8-byte aligned. Reads in batches if the kernel can (5.6; for per-CPU arrays 5.13):
// batches read each entry exactly once, even if programs add entries meanwhile, and take 50 ms less
// for 10,000 entries.
Result<> read_map(int map, const std::function<void(Bytes key, Bytes value)> &entry);

template <class Key, class Value>
Result<std::vector<std::pair<Key, Value>>> read_map(int map)
{
    std::vector<std::pair<Key, Value>> entries;
    TRY(read_map(map, [&](Bytes key, Bytes value) {
        entries.emplace_back(key.read<Key>(0).value_or(Key{}),
                             value.read<Value>(0).value_or(Value{}));
    }));
    return entries;
}

// Returns the first `count` counters of a per-CPU array, each summed over all CPUs.
Result<std::vector<uint64_t>> read_counters(int map, size_t count);
// Returns the counter of a per-CPU array with one entry, summed over all CPUs.
Result<uint64_t> read_counter(int map);

// Reads a table of __u64 counts, or of histogram slots, summed over all CPUs.
class TableReader {
  public:
    enum class Holds : uint8_t { Counts, Slots };
    enum class Since : uint8_t { LastTime, Start };

    TableReader(int map, Holds holds);
    TableReader(TableReader &&) noexcept;
    ~TableReader();

    // Calls `add` for each entry whose count has grown, with what was added. With Holds::Counts,
    // `sum` and `max` are 0. With Holds::Slots, `max` is the maximum of the whole run, so the
    // interval's own maximum may be up to 1/16 lower: that is the width of a slot
    // (bpf/lib/histogram.h).
    using Add = std::function<void(Bytes key, const histogram_slot &added)>;
    Result<> take(Since since, const Add &add);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::kernel
