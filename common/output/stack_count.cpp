// Writes and reads folded lines.
#include "output/stack_count.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "output/name.h"

namespace uscope::output {
namespace {

constexpr std::string_view unit_mark = "# unit: ";

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends)
{
    return std::any_of(ends.begin(), ends.end(),
                       [&](std::string_view end) { return text.ends_with(end); });
}

// A folded line has only names. "work (app.py:12)" is interpreted, "app::work(int)" is C++.
FrameKind guess_kind(std::string_view name)
{
    if (name.ends_with("_[k]"))
        return FrameKind::Kernel;
    if (name.ends_with("_[j]"))
        return FrameKind::Jit;
    size_t open = name.rfind(" ("), line = name.rfind(':');
    bool has_source = open != name.npos && line != name.npos && line > open && name.back() == ')';
    if (has_source) {
        std::string_view file = name.substr(open + 2, line - open - 2);
        if (ends_with_any(file, {".js", ".mjs", ".cjs", ".java", ".kt"}))
            return FrameKind::Jit;
        bool is_compiled = ends_with_any(file, {".c", ".h", ".S", ".cc", ".cpp", ".hpp", ".rs"});
        if (!is_compiled && parse_number(name.substr(line + 1, name.size() - line - 2)))
            return FrameKind::Interpreted;
        name = name.substr(0, open);
    }
    bool is_mangled = name.find("::") != name.npos || name.ends_with(')');
    return is_mangled ? FrameKind::Cpp : FrameKind::Native;
}

}  // namespace

void append_folded(std::string &out, const StackCount &stack, bool compared)
{
    for (size_t i = 0; i < stack.frames.size(); i++) {
        if (i > 0)
            out.push_back(';');
        // A thread may have an empty name.
        const std::string &raw = stack.frames[i].name;
        std::string name = raw.empty() ? "[no name]" : escaped_name(raw);
        std::replace(name.begin(), name.end(), ';', ':');
        append(out, name);
    }
    if (compared)
        append_format(out, " {}", stack.before);
    append_format(out, " {}\n", stack.count);
}

void append_unit(std::string &out, std::string_view unit)
{
    append_format(out, "{}{}\n", unit_mark, escaped(unit));
}

Result<FoldedStacks> parse_folded(std::string_view text)
{
    FoldedStacks folded;
    std::vector<StackCount> &stacks = folded.stacks;
    size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        number++;
        if (trim(line).empty())
            continue;
        if (line.starts_with(unit_mark)) {
            folded.unit = line.substr(unit_mark.size());
            continue;
        }
        size_t blank = line.rfind(' ');
        auto count =
            blank == std::string_view::npos ? std::nullopt : parse_number(trim(line.substr(blank)));
        if (!count)
            return fail("line {} of the folded stacks does not end with a count: {}", number,
                        line.substr(0, 100));
        StackCount &stack = stacks.emplace_back();
        stack.count = *count;
        for (std::string_view frame : split(line.substr(0, blank), ';')) {
            FrameKind kind = stack.frames.empty() ? FrameKind::Process : guess_kind(frame);
            stack.frames.emplace_back(std::string(frame), kind);
        }
    }
    return folded;
}

std::vector<StackCount> merged(const std::vector<StackCount> &stacks)
{
    std::map<std::vector<Frame>, size_t> places;
    std::vector<StackCount> result;
    for (const StackCount &stack : stacks) {
        auto [place, is_new] = places.try_emplace(stack.frames, result.size());
        if (is_new)
            result.push_back(stack);
        else
            result[place->second].count =
                std::min(result[place->second].count + stack.count, uint64_t(INT64_MAX));
    }
    return result;
}

}  // namespace uscope::output
