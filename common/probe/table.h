// Turns the table in which a program counts (bpf/lib/table.bpf.h) into rows with readable keys.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "bpf/lib/histogram.h"
#include "kernel/map.h"
#include "kernel/sums.h"
#include "output/histogram.h"
#include "probe/sampling.h"
#include "probe/set.h"
#include "probe/values.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

// The counts of one key. Different programs of one probe add to the same row if their keys have the
// same text.
struct Row {
    std::string json;                     // the key as JSON: {"size":16}
    std::vector<std::string> texts = {};  // the values of the key, if keep_texts() was called
    uint64_t count = 0;                   // number of events
    output::Histogram histogram;          // empty unless the probe measures values
    std::vector<uint64_t> buckets;        // instead of `histogram`, if the scale is linear
    kernel::Sums sums;                    // one for each of ProbeRequest::addends
};
struct RowKey {
    std::string text;  // "size = 16, fd = 3"; "" without keys
    output::NamedStack stack = {};
    bool operator==(const RowKey &) const = default;
    // Sorts numbers by value: "size = 9" before "size = 16".
    std::strong_ordering operator<=>(const RowKey &other) const;
};
using Rows = std::map<RowKey, Row>;

class Table {
  public:
    // Creates the map in which `program` counts, with capacity for `entries` keys. `string_bytes`:
    // as in BuildOptions. `stacks` names the stacks in the keys; null if the keys contain no
    // stacks. `sampling` scales the counts.
    static Result<Table> create(const Program &program, uint32_t entries, uint32_t string_bytes,
                                stacks::CountedStacks *stacks, const Sampling &sampling);

    int map() const { return map_.get(); }
    void keep_texts() { keeps_texts_ = true; }

    // Adds to `rows` what was counted since the last call of take() or since the start.
    // `interval`: as in kernel::SumReader.
    using Since = kernel::TableReader::Since;
    Result<> take(Since since, Rows &rows, uint64_t interval = 0);

  private:
    Table(const Program &program, uint32_t string_bytes, stacks::CountedStacks *stacks,
          const Sampling &sampling);

    bool is_keyed() const;
    bool has_slots() const;
    size_t addends() const;
    uint32_t value_bytes() const;
    Row &keyed_row(Bytes key, uint64_t count, Rows &rows);
    Row &row_of(Bytes key, uint64_t count, Rows &rows);
    void add(Bytes key, const histogram_slot &added, Rows &rows);

    const Program &program_;
    stacks::CountedStacks *stacks_;
    Sampling sampling_;
    Values values_;
    output::Format format_;
    bool keeps_texts_ = false;
    Fd map_;
    std::optional<kernel::TableReader> reader_;
    std::optional<kernel::SumReader> sums_;  // instead, if there are addends
};

}  // namespace uscope::probe
