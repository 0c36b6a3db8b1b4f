// Calls of threads as counted stacks: the time that each stack of calls took by itself, without
// what was called from there.
//
//     -> a 0 us  -> b 10 us  <- b 30 us  <- a 60 us    gives    a 40    and    a;b 20
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "output/flame_graph.h"

namespace uscope::output {

class FoldedCalls {
  public:
    // Names must live as long as this: they are told apart by their addresses.
    void enter(uint64_t thread, const std::string *name);
    // The innermost call of the thread has ended.
    void leave(uint64_t thread, uint64_t own_ns);

    // In microseconds; stacks that took less are left out. `root`: the first frame of all.
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
