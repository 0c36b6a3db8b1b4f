// Reading what programs keep in maps: whole maps at once, and what was added since the last time.
//
// Clearing a map to start a new interval loses what programs add between reading a value and
// deleting it - also by BPF_MAP_LOOKUP_AND_DELETE_BATCH, which copies a value while programs that
// have looked it up go on adding to it. So nothing is deleted: values only grow, and an interval is
// the difference of two readings. Nothing is lost, and nothing is counted twice.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/result.h"
#include "lib/histogram.h"

namespace uscope::attach {

struct MapRequest {
    std::string name;     // for the kernel's lists
    bool is_hash = true;  // else an array, whose key is a __u32 index
    uint32_t key_bytes = 4, value_bytes = 8, entries = 1;
    bool is_shared = false;  // one value for all processors, instead of one for each
};
// A map for programs to count in. A hash takes its memory when an
// entry is made, where the kernel lets programs do that (6.1), else at once.
Result<Fd> create_table(const MapRequest &request);

// An array with one entry, which programs only read.
Result<Fd> create_constant(const std::string &name, Bytes value);

// Hands over every entry of a hash or array map; a per-CPU map's value is one for each processor,
// each 8-byte aligned. In batches where the kernel has them (5.6; per-CPU arrays 5.13), which read
// each entry once whatever programs add meanwhile: 10,000 entries 50 ms faster.
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

// The counters of a per-CPU array, of all processors added up.
Result<std::vector<uint64_t>> read_counters(int map, size_t count);
// The same of an array that has one.
Result<uint64_t> read_counter(int map);

// Reads a table of __u64 counts, or of slots of histograms, all processors added up.
class TableReader {
  public:
    enum class Holds : uint8_t { Counts, Slots };
    enum class Since : uint8_t { LastTime, Start };

    TableReader(int map, Holds holds);
    TableReader(TableReader &&) noexcept;
    ~TableReader();

    // Hands over what was added to each entry that anything was added to. A count has no sum and no
    // maximum; a slot's maximum is that of the whole run: since the last time it is right to 1/16.
    using Add = std::function<void(Bytes key, const histogram_slot &added)>;
    Result<> take(Since since, const Add &add);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace uscope::attach
