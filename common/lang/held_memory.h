// Memory that programs have not given back, by the stacks that asked for it: as text, as JSON, and for
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

// What one stack has asked for. Of samples it is estimated.
struct HeldMemory {
    double bytes = 0, count = 0;
    double bytes_before = 0, count_before = 0;  // when it was shown last
    uint64_t samples = 0, oldest_ns = 0, youngest_ns = UINT64_MAX;
    std::vector<HeldBlock> blocks;  // where each of them is shown

    // `times`: how many blocks this one stands for.
    void add(const HeldBlock &block, double times);
    void add(const HeldMemory &other);
    int64_t bytes_change() const;
    int64_t count_change() const;
};
using HeldByStack = std::map<output::NamedStack, HeldMemory>;
using HeldRow = HeldByStack::value_type;

// What was held when it was shown last.
class HeldBefore {
  public:
    // Lets each row know what it was, and is what `rows` are from now on. Stacks that hold nothing any
    // more get a row, too.
    void compare(HeldByStack &rows);

  private:
    HeldByStack before_;
};

// The rows that have changed, which without HeldBefore are all that hold memory: that with most last.
std::vector<const HeldRow *> rank_held(const HeldByStack &rows, bool by_count,
                                       std::optional<uint64_t> top);

struct HeldStyle {
    bool changes = false, estimated = false, blocks = false;
};
// BCC's form.
void append_text(std::string &out, const HeldRow &row, const HeldStyle &style);
output::Rows<HeldRow>::Fields held_fields(const HeldStyle &style, uint64_t now_ns);
// Of changes, what has grown.
std::vector<output::StackCount> fold_held(const std::vector<const HeldRow *> &rows);

}  // namespace uscope::lang
