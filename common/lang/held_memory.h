// Memory that programs have not freed, by the stacks that allocated it: as text, JSON, and for
// flame graphs.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "output/rows.h"
#include "output/stacks.h"

namespace uscope::lang {

struct HeldBlock {
    uint64_t address, bytes, age_ns;
};

// Memory that one stack has allocated; an estimate if blocks are sampled.
struct HeldMemory {
    double bytes = 0, count = 0;
    double bytes_before = 0, count_before = 0;  // when last shown
    uint64_t samples = 0, oldest_ns = 0, youngest_ns = UINT64_MAX;
    std::vector<HeldBlock> blocks;  // empty unless the blocks are listed

    // `times`: how many blocks this one represents.
    void add(const HeldBlock &block, double times);
    void add(const HeldMemory &other);
    int64_t bytes_change() const;
    int64_t count_change() const;
};
using HeldByStack = std::map<output::NamedStack, HeldMemory>;
using HeldRow = HeldByStack::value_type;

// Remembers what each stack held when it was last shown.
class HeldBefore {
  public:
    // Fills in bytes_before and count_before of all rows, and adds rows for stacks that no longer
    // hold anything. Then remembers `rows` for the next call.
    void compare(HeldByStack &rows);

  private:
    HeldByStack before_;
};

// Returns the rows that changed (without HeldBefore: those that hold memory), the largest change
// last; with `top`, only the last ones.
std::vector<const HeldRow *> rank_held(const HeldByStack &rows, bool by_count,
                                       std::optional<uint64_t> top);

struct HeldStyle {
    bool changes = false, estimated = false, blocks = false;
};
// Appends a row in BCC's format.
void append_text(std::string &out, const HeldRow &row, const HeldStyle &style);
output::Rows<HeldRow>::Fields held_fields(const HeldStyle &style, uint64_t now_ns);
// Returns the rows whose bytes grew; without HeldBefore, those that hold memory.
// Appends a line with the sum of all rows: "total: 70036 bytes in 22 allocations from 3 stacks".
void append_total(std::string &out, const HeldByStack &rows, const HeldStyle &style);

std::vector<output::StackCount> fold_held(const std::vector<const HeldRow *> &rows);

}  // namespace uscope::lang
