// Compares, sorts and prints counted stacks.
#include "output/compared_stacks.h"

#include <algorithm>

#include "base/format.h"
#include "output/json.h"
#include "output/name.h"

namespace uscope::output {

void StacksBefore::add(const std::vector<StackCount> &stacks)
{
    for (const StackCount &stack : stacks)
        counts_[stack.frames] += stack.count;
}

void StacksBefore::compare(std::vector<StackCount> &stacks) const
{
    uint64_t now = 0, then = 0;
    auto rest = counts_;
    for (const StackCount &stack : stacks)
        now += stack.count;
    for (const auto &[frames, count] : counts_)
        then += count;
    auto scaled = [&](uint64_t count) { return then ? (count * now + then / 2) / then : 0; };
    for (StackCount &stack : stacks) {
        if (auto found = rest.find(stack.frames); found != rest.end()) {
            stack.before = scaled(found->second);
            rest.erase(found);
        }
    }
    for (const auto &[frames, count] : rest)
        stacks.push_back({.frames = frames, .before = scaled(count)});
}

void sort_by_change(std::vector<StackCount> &stacks)
{
    auto change = [](const StackCount &stack) {
        return std::max(stack.count, stack.before) - std::min(stack.count, stack.before);
    };
    std::stable_sort(stacks.begin(), stacks.end(),
                     [&](const auto &a, const auto &b) { return change(a) < change(b); });
}

void append_text(std::string &out, const StackCount &stack, bool compared)
{
    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame)
        append_format(out, "    {}\n", escaped_name(*frame));
    if (compared)
        append_format(out, "        {:+} ({} before, {} now)\n\n",
                      int64_t(stack.count) - int64_t(stack.before), stack.before, stack.count);
    else
        append_format(out, "        {}\n\n", stack.count);
}

void append_json(std::string &out, const StackCount &stack, bool compared, uint64_t time_ns)
{
    JsonObject object(out);
    object.add("time_ns", time_ns).add("count", stack.count);
    if (compared)
        object.add("before", stack.before)
            .add("change", int64_t(stack.count) - int64_t(stack.before));
    append_json_strings(object.member("stack"), stack.frames);
    object.end_line();
}

}  // namespace uscope::output
