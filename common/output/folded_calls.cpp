// Keeps a tree of call stacks.
#include "output/folded_calls.h"

#include <algorithm>

namespace uscope::output {

void FoldedCalls::enter(uint64_t thread, const std::string *name)
{
    uint32_t &at = at_[thread];
    auto [child, is_new] = children_.try_emplace({at, name}, nodes_.size());
    if (is_new)
        nodes_.push_back({name, at});
    at = child->second;
}

void FoldedCalls::leave(uint64_t thread, uint64_t own_ns)
{
    auto found = at_.find(thread);
    if (found == at_.end())
        return;
    Node &node = nodes_[found->second];
    node.own_ns += own_ns;
    found->second = node.parent;
    if (node.parent == 0)
        at_.erase(found);
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
            stack.frames.emplace_back(*node->name);
        stack.frames.emplace_back(root, FrameKind::Process);
        std::reverse(stack.frames.begin(), stack.frames.end());
    }
    return stacks;
}

}  // namespace uscope::output
