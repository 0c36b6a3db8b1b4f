// Subtracts what has a name from the functions in the unwinding tables.
#include "elf/unnamed_functions.h"

#include <algorithm>

#include <elf.h>

#include "base/format.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/symbol_sources.h"

namespace uscope::elf {
namespace {

struct NamedRange {
    uint64_t start = 0, end = 0;
    NamedRange(uint64_t from, uint64_t size) : start(from), end(from + std::min(size, ~from)) {}
    auto operator<=>(const NamedRange &) const = default;
};

// Sorts ranges and joins those that overlap.
std::vector<NamedRange> merged(std::vector<NamedRange> ranges)
{
    std::sort(ranges.begin(), ranges.end());
    std::vector<NamedRange> result;
    for (const NamedRange &range : ranges) {
        if (result.empty() || range.start >= result.back().end)
            result.push_back(range);
        else
            result.back().end = std::max(result.back().end, range.end);
    }
    return result;
}

// Returns the code that is a function with a name, or a stub.
std::vector<NamedRange> named_code(const SymbolSources &sources)
{
    std::vector<NamedRange> ranges;
    sources.each_containing("", [&](const Symbol &symbol) {
        if (sources.is_function(symbol))
            ranges.emplace_back(symbol.vaddr, std::max<uint64_t>(sources.size_of(symbol), 1));
    });
    for (const Section &section : sources.image().sections()) {
        if (section.name.starts_with(".plt") && (section.flags & SHF_EXECINSTR))
            ranges.emplace_back(section.vaddr, section.size);
    }
    return merged(std::move(ranges));
}

Function without_name(const SymbolSources &sources, const Frame &frame)
{
    Function function;
    function.name = function.display = start_name(frame.start);
    function.vaddr = frame.start;
    function.size = frame.end - frame.start;
    function.file_offset = sources.image().file_offset(frame.start).value_or(0);
    return function;
}

Failure<> fail_no_start(const SymbolSources &sources, uint64_t vaddr)
{
    const Image &image = sources.image();
    if (!image.is_executable(vaddr))
        return fail("{} has no code at address {:#x}", sources.path(), vaddr);
    std::optional<uint64_t> below;
    std::string_view name;
    sources.each_containing("", [&](const Symbol &symbol) {
        bool is_nearer = symbol.vaddr < vaddr && symbol.vaddr > below.value_or(0);
        if (!is_nearer || !sources.is_function(symbol))
            return;
        below = symbol.vaddr;
        name = symbol.name;
    });
    for (const Frame &function : unnamed_functions(sources)) {
        if (function.start > vaddr || function.start < below.value_or(0))
            continue;
        below = function.start;
        name = "";
    }
    std::string hint = "; no function below it is known";
    if (below)
        hint = fmt::format("; the next one below starts at {}{}", start_name(*below),
                           name.empty() ? "" : fmt::format(" ({})", demangle(name)));
    auto frame = Frames::of(image).at(vaddr);
    if (frame && frame->start == vaddr && !frame->is_called)
        hint =
            " (the code there is not called: it is a moved part of a function, or _start)" + hint;
    return fail("no function of {} is known to start at {:#x}{}", sources.path(), vaddr, hint);
}

}  // namespace

std::string start_name(uint64_t vaddr)
{
    return fmt::format("+{:#x}", vaddr);
}

std::optional<uint64_t> parse_start_name(std::string_view name)
{
    return name.starts_with('+') ? parse_number(name.substr(1)) : std::nullopt;
}

std::vector<Frame> unnamed_functions(const SymbolSources &sources)
{
    const Image &image = sources.image();
    std::vector<Frame> functions = Frames::of(image).called();
    std::vector<NamedRange> named;
    if (!functions.empty())
        named = named_code(sources);
    auto next = named.begin();
    std::erase_if(functions, [&](const Frame &function) {
        while (next != named.end() && next->end <= function.start)
            next++;
        bool has_name = next != named.end() && next->start <= function.start;
        return has_name || !image.is_executable(function.start) ||
               !image.file_offset(function.start);
    });
    return functions;
}

Result<Function> unnamed_at(const SymbolSources &sources, uint64_t vaddr)
{
    for (const Frame &function : unnamed_functions(sources))
        if (function.start == vaddr)
            return without_name(sources, function);
    return fail_no_start(sources, vaddr);
}

Result<std::vector<Function>> find_unnamed(const SymbolSources &sources, std::string_view glob)
{
    const Image &image = sources.image();
    std::vector<Frame> unnamed = unnamed_functions(sources);
    std::vector<Function> functions;
    for (const Frame &function : unnamed)
        if (glob_match(glob, start_name(function.start)))
            functions.push_back(without_name(sources, function));
    if (!functions.empty())
        return functions;
    if (Frames::of(image).called().empty() && !image.is_go())
        return fail(
            "'{}' matches no function of {}: it has no unwinding tables (.eh_frame), which show "
            "where functions without a name start",
            glob, sources.path());
    if (unnamed.empty())
        return fail("'{}' matches no function of {}: all functions of it that are known have names",
                    glob, sources.path());
    return fail("no function of {} that has no name matches '{}'", sources.path(), glob);
}

void add_unnamed(const SymbolSources &sources, const Regex &regex, std::vector<Function> &functions)
{
    for (const Frame &frame : unnamed_functions(sources))
        if (regex.matches(start_name(frame.start)))
            functions.push_back(without_name(sources, frame));
}

}  // namespace uscope::elf
