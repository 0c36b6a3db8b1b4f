// Counts, sorts and prints functions.
#include "output/function_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "output/name.h"

namespace uscope::output {

std::vector<FunctionCount> count_functions(const std::vector<StackCount> &stacks, size_t max)
{
    std::map<std::string_view, FunctionCount> counts;
    for (const StackCount &stack : stacks) {
        std::set<std::string_view> counted;
        for (const Frame &frame : stack.frames) {
            if (frame.kind != FrameKind::Process && counted.insert(frame.name).second)
                counts[frame.name].total += stack.count;
        }
        if (!counted.empty())
            counts[stack.frames.back().name].self += stack.count;
    }
    std::vector<FunctionCount> functions;
    for (auto &[name, count] : counts) {
        count.name = name;
        functions.push_back(std::move(count));
    }
    std::stable_sort(functions.begin(), functions.end(), [](const auto &a, const auto &b) {
        return std::pair(a.self, a.total) > std::pair(b.self, b.total);
    });
    functions.resize(std::min(functions.size(), max));
    return functions;
}

void append_functions(Writer &out, const std::vector<StackCount> &stacks)
{
    constexpr size_t max = 20;
    uint64_t all = 0;
    for (const StackCount &stack : stacks)
        all += stack.count;
    if (!all)
        return;
    out.heading("    SELF    TOTAL  FUNCTION");
    auto share = [&](uint64_t count) { return 100 * double(count) / double(all); };
    for (const FunctionCount &function : count_functions(stacks, max))
        append_format(out.buffer(), "{:7.2f}% {:7.2f}%  {}\n", share(function.self),
                      share(function.total), escaped_name(function.name));
    out.buffer().push_back('\n');
}

}  // namespace uscope::output
