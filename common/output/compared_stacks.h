// Compares counted stacks with those of an earlier recording, and prints the changes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "output/stack_count.h"

namespace uscope::output {

class StacksBefore {
  public:
    // Adds the stacks of the earlier recording.
    void add(const std::vector<StackCount> &stacks);
    // Fills in StackCount::before, scaled to the same total because recordings differ in length,
    // and adds the stacks that only the earlier recording has. Rounds such that the sum is exact:
    // many small counts do not vanish together. Does nothing if there is no earlier recording.
    void compare(std::vector<StackCount> &stacks) const;

  private:
    struct Before {
        std::vector<Frame> frames;
        uint64_t count = 0;
    };
    std::map<std::vector<std::string>, Before> stacks_;  // by the names of the frames
};

// Sorts by the size of the change, the largest last.
void sort_by_change(std::vector<StackCount> &stacks);

// Appends a line per frame, the leaf first, the count, an empty line. `compared`: instead of the
// count, the change, in `unit` (output/amount.h), and both counts.
void append_text(std::string &out, const StackCount &stack, bool compared, std::string_view unit);

// {"time_ns":1700000000000000000,"count":3,"before":1,"change":2,"stack":["demo","main"]};
// "before" and "change" only if `compared`.
void append_json(std::string &out, const StackCount &stack, bool compared, uint64_t time_ns);

}  // namespace uscope::output
