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
#include "output/histogram.h"
#include "probe/set.h"
#include "probe/values.h"
#include "stacks/counted_stacks.h"

namespace uscope::probe {

// The counts of one key. Different programs of one probe add to the same row if their keys have the
// same text.
struct Row {
    std::string json;               // the key as JSON: {"size":16}
    uint64_t count = 0;             // number of events
    output::Histogram histogram;    // empty unless the probe measures values
    std::vector<uint64_t> buckets;  // instead of `histogram`, if the scale is linear
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
    // stacks.
    static Result<Table> create(const Program &program, uint32_t entries, uint32_t string_bytes,
                                stacks::CountedStacks *stacks);

    int map() const { return map_.get(); }

    // Adds to `rows` what was counted since the last call of take() or since the start.
    using Since = kernel::TableReader::Since;
    Result<> take(Since since, Rows &rows);

  private:
    Table(const Program &program, uint32_t string_bytes, stacks::CountedStacks *stacks);

    bool is_keyed() const;
    bool has_slots() const;
    Row &row_of(Bytes key, uint64_t count, Rows &rows);
    void add(Bytes key, const histogram_slot &added, Rows &rows);

    const Program &program_;
    stacks::CountedStacks *stacks_;
    Values values_;
    output::Format format_;
    Fd map_;
    std::optional<kernel::TableReader> reader_;
};

}  // namespace uscope::probe
