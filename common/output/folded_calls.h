// Turns the calls of threads into counted stacks: the count is the time that each stack of calls
// took itself, without the calls made from there.
//
//     -> a 0 us  -> b 10 us  <- b 30 us  <- a 60 us    gives    a 40    and    a;b 20
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "output/stack_count.h"

namespace uscope::output {

class FoldedCalls {
  public:
    // Names must outlive this object; equal names must have the same address.
    void enter(uint64_t thread, const std::string *name);
    // The innermost call of the thread has ended. `own_ns`: its time without the calls made from
    // there.
    void leave(uint64_t thread, uint64_t own_ns);

    // The stacks, with counts in microseconds; stacks of less than 1 us are left out. `root`: the
    // first frame of all stacks.
    std::vector<StackCount> stacks(const std::string &root) const;

  private:
    struct Node {  // a stack: its innermost call, and its caller's node (0: none)
        const std::string *name = nullptr;
        uint32_t parent = 0;
        uint64_t own_ns = 0;
    };
    std::vector<Node> nodes_ = {Node{}};
    std::map<std::pair<uint32_t, const std::string *>, uint32_t> children_;
    std::unordered_map<uint64_t, uint32_t> at_;  // the node of each thread with calls under way
};

}  // namespace uscope::output
