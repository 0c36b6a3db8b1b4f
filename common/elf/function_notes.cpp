// Compares the names of one address, and the versions of one symbol.
#include "elf/function_notes.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/name_pattern.h"

namespace uscope::elf {
namespace {

// Does one name contain the other, or do both demangle to the same name? Then both mean one
// function: read and __libc_read, the constructors C1 and C2.
bool are_related(std::string_view a, std::string_view b)
{
    auto plain = [](std::string_view name) {
        name = split_clone(name).base;
        return name.substr(std::min(name.find_first_not_of('_'), name.size()));
    };
    std::string_view plain_a = plain(a), plain_b = plain(b);
    return plain_a.find(plain_b) != plain_a.npos || plain_b.find(plain_a) != plain_b.npos ||
           without_parameters(demangle(a)) == without_parameters(demangle(b));
}

std::string list_some(const std::vector<std::string> &names)
{
    constexpr size_t max = 3;
    std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), max));
    return join(shown, ", ") +
           (names.size() > max ? fmt::format(" and {} more", names.size() - max) : "");
}

}  // namespace

std::string with_version(const Symbol &symbol)
{
    return fmt::format("{}{}{}", symbol.name, symbol.is_old_version ? "@" : "@@", symbol.version);
}

void add_notes(const SymbolSources &sources, std::vector<Function> &functions)
{
    Function &first = functions.front();
    std::set<std::string> versions, same;
    sources.each_containing("", [&](const Symbol &symbol) {
        if (!sources.is_function(symbol))
            return;
        auto at = std::find_if(functions.begin(), functions.end(), [&](const Function &function) {
            return function.vaddr == symbol.vaddr;
        });
        if (at != functions.end() && !are_related(symbol.name, at->name))
            same.insert(std::string(without_parameters(demangle(symbol.name))));
        else if (at == functions.end() && symbol.name == first.name && !symbol.version.empty())
            versions.insert(with_version(symbol));
    });
    auto text = [](const std::set<std::string> &names) {
        return list_some({names.begin(), names.end()});
    };
    if (!versions.empty())
        first.notes.push_back(fmt::format("calls of {} are not traced ('{}@*' means every version)",
                                          text(versions), first.name));
    if (!same.empty())
        first.notes.push_back(fmt::format("{} shares its code with {}: calls of all are traced",
                                          without_parameters(first.display), text(same)));
    if (functions.size() == 1)
        return;
    std::vector<std::string> names;
    bool is_one_name = true;
    for (const Function &function : functions) {
        names.push_back(function.name);
        is_one_name &= function.display == first.display;
    }
    first.notes.push_back(
        fmt::format("{} means {} functions, which may call each other: {}",
                    is_one_name ? first.display : without_template_arguments(first.display),
                    functions.size(), list_some(names)));
}

void add_merged_notes(const std::vector<Symbol> &symbols, std::vector<Function> &functions)
{
    size_t next = 0;
    for (Function &function : functions) {
        std::set<std::string> same;
        for (; next < symbols.size() && symbols[next].vaddr <= function.vaddr; next++) {
            if (symbols[next].vaddr == function.vaddr &&
                !are_related(symbols[next].name, function.name))
                same.insert(std::string(without_parameters(demangle(symbols[next].name))));
        }
        if (!same.empty())
            function.notes.push_back(fmt::format(
                "{} shares its code with {}: calls of all are traced",
                without_parameters(function.display), list_some({same.begin(), same.end()})));
    }
}

}  // namespace uscope::elf
