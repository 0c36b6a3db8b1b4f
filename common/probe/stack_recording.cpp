// Reads, compares and prints stacks by the names of their frames.
#include "probe/stack_recording.h"

#include <algorithm>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "output/clock.h"
#include "output/escape.h"

namespace uscope::probe {
namespace {

std::string upper_case(std::string_view text)
{
    std::string upper(text);
    for (char &c : upper)
        c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    return upper;
}

std::string heading(bool is_compared, std::string_view amounts)
{
    std::string unit = output::escaped(upper_case(amounts));
    if (!is_compared)
        return fmt::format("STACK, {}", unit.empty() ? "SUM" : unit);
    return unit.empty() ? "STACK, CHANGE" : fmt::format("STACK, CHANGE ({})", unit);
}

}  // namespace

Result<output::FoldedStacks> read_recording(const std::string &path)
{
    std::string text = TRY(read_file(path));
    auto folded = output::parse_folded(text);
    if (!folded)
        return fail("{}: {}", path, folded.error().text);
    return folded;
}

Result<> StackComparison::open(const StackOptions &options, std::string_view unit)
{
    if (!options.before)
        return {};
    output::FoldedStacks folded = TRY(read_recording(*options.before));
    if (folded.unit != output::escaped(unit)) {
        auto named = [](std::string_view one) { return one.empty() ? "numbers of events" : one; };
        return fail("--diff: {} has {}, not {}: record both in the same way", *options.before,
                    named(folded.unit), named(unit));
    }
    if (folded.stacks.empty())
        return fail("--diff: {} has no stacks", *options.before);
    before_.add(folded.stacks);
    return {};
}

void print_stacks(run::Tool &tool, const StackOptions &options,
                  std::vector<output::StackCount> stacks, std::string_view amounts)
{
    bool is_compared = options.before.has_value();
    output::sort_by_change(stacks);
    if (!options.forms())
        tool.out().heading(heading(is_compared, amounts));
    size_t shown = std::min<size_t>(stacks.size(), options.top.value_or(SIZE_MAX));
    std::string &out = tool.out().buffer();
    for (size_t i = stacks.size() - shown; i < stacks.size(); i++) {
        if (options.json)
            output::append_json(out, stacks[i], is_compared, output::Clock::now_unix_ns());
        else if (options.folded)
            output::append_folded(out, stacks[i], is_compared);
        else
            output::append_text(out, stacks[i], is_compared, amounts);
    }
}

}  // namespace uscope::probe
