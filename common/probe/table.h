// What a program that counts by keys has gathered (bpf/lib/table.bpf.h), as rows for people.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attach/map.h"
#include "base/fd.h"
#include "lib/histogram.h"
#include "output/histogram.h"
#include "probe/counted_stacks.h"
#include "probe/set.h"
#include "probe/values.h"

namespace uscope::probe {

// Rows of different programs of one probe that read the same are one.
struct Row {
    std::string json;               // of the key: {"size":16}
    uint64_t count = 0;             // of all
    output::Histogram histogram;    // when values are measured
    std::vector<uint64_t> buckets;  // when they are, linearly
};
struct RowKey {
    std::string text;  // "size = 16, fd = 3"; "" without keys
    output::NamedStack stack = {};
    bool operator==(const RowKey &) const = default;
    std::strong_ordering operator<=>(const RowKey &other) const;  // size = 9 before size = 16
};
using Rows = std::map<RowKey, Row>;

class Table {
  public:
    // The map for `program`, with place for `entries` keys. `string_bytes`: as it was built with.
    // `stacks`: that name those of the keys, if they have any.
    static Result<Table> create(const Program &program, uint32_t entries, uint32_t string_bytes,
                                CountedStacks *stacks);

    int map() const { return map_.get(); }

    // Adds what was counted since the last time, or since the start, to `rows`.
    using Since = attach::TableReader::Since;
    Result<> take(Since since, Rows &rows);

  private:
    Table(const Program &program, uint32_t string_bytes, CountedStacks *stacks);

    bool is_keyed() const;
    bool has_slots() const;
    Row &row_of(Bytes key, uint64_t count, Rows &rows);
    void add(Bytes key, const histogram_slot &added, Rows &rows);

    const Program &program_;
    CountedStacks *stacks_;
    Values values_;
    output::Format format_;
    Fd map_;
    std::optional<attach::TableReader> reader_;
};

}  // namespace uscope::probe
