#include "output/folded_calls.h"

#include <algorithm>

namespace uscope::output {

void FoldedCalls::enter(pid_t tid, const std::string *name)
{
    uint32_t &at = at_[tid];
    auto [child, is_new] = children_.try_emplace({at, name}, nodes_.size());
    if (is_new)
        nodes_.push_back({name, at});
    at = child->second;
}

void FoldedCalls::leave(pid_t tid, uint64_t own_ns)
{
    uint32_t &at = at_[tid];
    if (at == 0)
        return;
    nodes_[at].own_ns += own_ns;
    at = nodes_[at].parent;
}

std::vector<StackCount> FoldedCalls::stacks(const std::string &root) const
{
    std::vector<StackCount> stacks;
    for (const Node &leaf : nodes_) {
        uint64_t microseconds = leaf.own_ns / 1000;
        if (microseconds == 0)
            continue;
        StackCount &stack = stacks.emplace_back();
        stack.count = microseconds;
        for (const Node *node = &leaf; node->name; node = &nodes_[node->parent])
            stack.frames.push_back(*node->name);
        stack.frames.push_back(root);
        std::reverse(stack.frames.begin(), stack.frames.end());
    }
    return stacks;
}

}  // namespace uscope::output
