// Compares, sorts and prints counted stacks.
#include "output/compared_stacks.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "output/amount.h"
#include "output/escape.h"
#include "output/json.h"
#include "output/name.h"
#include "output/stacks.h"

namespace uscope::output {
namespace {

std::vector<std::string> names_of(const std::vector<Frame> &frames)
{
    std::vector<std::string> names;
    for (const Frame &frame : frames)
        names.push_back(frame.name);
    return names;
}

}  // namespace

void StacksBefore::add(const std::vector<StackCount> &stacks)
{
    for (const StackCount &stack : stacks) {
        Before &before = stacks_[names_of(stack.frames)];
        before.count += stack.count;
        before.frames = stack.frames;
    }
}

void StacksBefore::compare(std::vector<StackCount> &stacks) const
{
    uint64_t now = 0, then = 0;
    std::map<std::vector<std::string>, StackCount *> current;
    for (StackCount &stack : stacks) {
        now += stack.count;
        current.emplace(names_of(stack.frames), &stack);
    }
    for (const auto &[names, before] : stacks_)
        then += before.count;
    std::vector<StackCount> gone;
    double ratio = then ? double(now) / double(then) : 0;
    uint64_t seen = 0;
    for (const auto &[names, before] : stacks_) {
        auto scaled_before = uint64_t(std::llround(double(seen) * ratio));
        seen += before.count;
        uint64_t scaled = uint64_t(std::llround(double(seen) * ratio)) - scaled_before;
        if (auto found = current.find(names); found != current.end())
            found->second->before = scaled;
        else
            gone.push_back({.frames = before.frames, .before = scaled});
    }
    stacks.insert(stacks.end(), gone.begin(), gone.end());
    // Rare stacks vanish when a recording is scaled down: all of them, if nothing is there now.
    std::erase_if(stacks, [](const StackCount &stack) { return !stack.count && !stack.before; });
}

void sort_by_change(std::vector<StackCount> &stacks)
{
    auto change = [](const StackCount &stack) {
        return std::max(stack.count, stack.before) - std::min(stack.count, stack.before);
    };
    std::stable_sort(stacks.begin(), stacks.end(),
                     [&](const auto &a, const auto &b) { return change(a) < change(b); });
}

void append_text(std::string &out, const StackCount &stack, bool compared, std::string_view unit)
{
    // A unit that amount_text() scales belongs to each number, another one stands once.
    bool is_scaled = unit == "bytes" || nanoseconds_of(unit);
    auto amount = [&](uint64_t number) { return amount_text(number, is_scaled ? unit : ""); };
    bool is_less = stack.count < stack.before;
    uint64_t change = is_less ? stack.before - stack.count : stack.count - stack.before;

    for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame)
        append_format(out, "    {}\n", escaped_name(frame->name));
    if (compared)
        append_format(out, "        {}{} ({} before, {} now)\n\n", is_less ? '-' : '+',
                      escaped(amount_text(change, unit)), amount(stack.before),
                      amount(stack.count));
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
    append_json_names(object.member("stack"), stack.frames);
    object.end_line();
}

}  // namespace uscope::output
