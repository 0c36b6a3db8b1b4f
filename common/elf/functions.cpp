// Searches all symbol sources of a file; explains in its errors why a name was not found.
#include "elf/functions.h"

#include <algorithm>
#include <set>

#include <fnmatch.h>

#include "base/format.h"
#include "base/text.h"
#include "elf/demangle.h"
#include "elf/function_notes.h"
#include "elf/name_pattern.h"
#include "elf/symbol_sources.h"
#include "elf/unnamed_functions.h"

namespace uscope::elf {
namespace {

// Prefers the plainer of two names of one address: read to __libc_read, f to f.localalias, the
// complete-object constructor C1 to C2.
bool is_plainer(std::string_view a, std::string_view b)
{
    size_t a_underscores = std::min(a.find_first_not_of('_'), a.size());
    size_t b_underscores = std::min(b.find_first_not_of('_'), b.size());
    if (a_underscores != b_underscores)
        return a_underscores < b_underscores;
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void sort(std::vector<Symbol> &symbols)
{
    std::sort(symbols.begin(), symbols.end(), [](const Symbol &a, const Symbol &b) {
        return a.vaddr != b.vaddr ? a.vaddr < b.vaddr : is_plainer(a.name, b.name);
    });
}

// Sorts by address and keeps each address once, with its plainest name.
void sort_and_merge(std::vector<Symbol> &symbols)
{
    sort(symbols);
    auto last = std::unique(symbols.begin(), symbols.end(),
                            [](const Symbol &a, const Symbol &b) { return a.vaddr == b.vaddr; });
    symbols.erase(last, symbols.end());
}

Result<std::vector<Function>> make_functions(const SymbolSources &sources,
                                             std::vector<Symbol> symbols, bool demangled)
{
    sort_and_merge(symbols);
    // Symbols may share the bytes of their names: a small hostile file could expand to gigabytes.
    constexpr uint64_t max_text = 1 << 30;
    uint64_t text = 0;
    std::vector<Function> functions;
    functions.reserve(symbols.size());
    for (const Symbol &symbol : symbols) {
        Function function = {std::string(symbol.name),
                             {},
                             symbol.vaddr,
                             sources.size_of(symbol),
                             *sources.image().file_offset(symbol.vaddr),
                             symbol.is_indirect};
        if (demangled)
            function.display = demangle(symbol.name);
        text += function.name.size() + function.display.size();
        if (text > max_text)
            return fail("{} is corrupt: the names of its symbols overlap", sources.path());
        functions.push_back(std::move(function));
    }
    return functions;
}

// Keeps only the symbols with the best rank so far.
class BestMatches {
  public:
    void add(unsigned rank, const Symbol &symbol)
    {
        if (rank > rank_)
            return;
        if (rank < rank_)
            symbols_.clear();
        rank_ = rank;
        symbols_.push_back(symbol);
    }
    bool empty() const { return symbols_.empty(); }
    unsigned rank() const { return rank_; }
    std::vector<Symbol> take() { return std::move(symbols_); }

  private:
    unsigned rank_ = ~0u;  // 0 is the best
    std::vector<Symbol> symbols_;
};

BestMatches find_by_symbol(const SymbolSources &sources, std::string_view name)
{
    BestMatches best;
    sources.each_containing(name, [&](const Symbol &symbol) {
        if (symbol.name == name && sources.is_function(symbol))
            best.add(symbol.is_old_version, symbol);
    });
    return best;
}

// "copy@LIB_1", "copy@@LIB_2", "copy@*".
struct VersionedName {
    std::string_view base;
    std::string version;  // may be a glob
    bool is_default = false;
};
std::optional<VersionedName> split_version(std::string_view name)
{
    size_t at = name.find('@');
    if (at == name.npos || at == 0)
        return std::nullopt;
    std::string_view version = name.substr(at + 1);
    bool is_default = version.starts_with('@');
    return VersionedName{name.substr(0, at), std::string(version.substr(is_default)), is_default};
}

// Returns the functions with this name and a version that matches; each address once.
Result<std::vector<Function>> find_versions(const SymbolSources &sources, const VersionedName &name)
{
    std::vector<Symbol> symbols;
    sources.each_containing(name.base, [&](const Symbol &symbol) {
        bool is_asked = symbol.name == name.base && !symbol.version.empty() &&
                        !(name.is_default && symbol.is_old_version) &&
                        fnmatch(name.version.c_str(), std::string(symbol.version).c_str(), 0) == 0;
        if (is_asked && sources.is_function(symbol))
            symbols.push_back(symbol);
    });
    sort_and_merge(symbols);
    auto functions = TRY(make_functions(sources, symbols, false));
    for (size_t i = 0; i < functions.size(); i++)
        functions[i].display = with_version(symbols[i]);
    return functions;
}

// Returns the copies that the compiler made of these functions for some of their callers. Other
// suffixes do not count: f.lto_priv.0 may be another unit's function.
std::vector<Symbol> find_copies(const SymbolSources &sources,
                                const std::vector<Function> &functions)
{
    auto is_of_caller = [](std::string_view suffix) {
        return suffix.starts_with(".constprop") || suffix.starts_with(".isra");
    };
    std::vector<Symbol> copies;
    for (const Function &function : functions) {
        sources.each_containing(function.name + ".", [&](const Symbol &symbol) {
            CloneName name = split_clone(symbol.name);
            bool is_copy = name.base == function.name && is_of_caller(name.suffix) &&
                           !name.is_fragment() && sources.is_function(symbol);
            if (is_copy)
                copies.push_back(symbol);
        });
    }
    return copies;
}

constexpr unsigned glob_rank = 2 * static_cast<unsigned>(NamePattern::Match::Glob);

BestMatches find_by_pattern(const SymbolSources &sources, std::string_view text)
{
    BestMatches best;
    NamePattern pattern(text, !sources.image().is_go());
    sources.each_containing(pattern.required_text(), [&](const Symbol &symbol) {
        if (!sources.is_function(symbol))
            return;
        auto match = pattern.match(symbol.name);
        if (!match)
            return;
        unsigned rank = 2 * static_cast<unsigned>(*match);
        best.add(rank == glob_rank ? rank : rank + symbol.is_old_version, symbol);
    });
    return best;
}

// A plain name must mean one function. It may have several symbols: a C++ constructor has up to
// three, an instance of a Rust generic one for each hash. Their symbols differ but demangle to the
// same text. In the v0 mangling, instances differ in the arguments of types and of the function. If
// the arguments of the trait differ, these are functions of several implementations.
bool is_same_function(const Function &a, const Function &b, bool without_arguments)
{
    if (a.display == b.display)
        return true;
    return without_arguments && is_rust(a.name) && is_rust(b.name) &&
           trait_of(a.display) == trait_of(b.display) &&
           without_template_arguments(a.display) == without_template_arguments(b.display);
}

bool are_same_function(const std::vector<Function> &functions, bool without_arguments)
{
    std::vector<std::string_view> names;
    for (const Function &function : functions) {
        if (!is_same_function(function, functions[0], without_arguments))
            return false;
        names.push_back(function.name);
    }
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

// Returns what the user can write to select this one of `functions`.
std::string unambiguous_name(const Function &function, const std::vector<Function> &functions)
{
    auto is_only = [&](std::string Function::*text) {
        return std::count_if(functions.begin(), functions.end(), [&](const Function &other) {
                   return other.*text == function.*text;
               }) == 1;
    };
    if (is_only(&Function::display))
        return function.display;
    if (is_only(&Function::name))
        return function.name;
    return start_name(function.vaddr);
}

Failure<> fail_ambiguous(const SymbolSources &sources, std::string_view text,
                         const std::vector<Function> &functions)
{
    constexpr size_t shown = 8;
    std::string list;
    for (size_t i = 0; i < std::min(functions.size(), shown); ++i)
        list += fmt::format("{}'{}'", i ? ", " : "", unambiguous_name(functions[i], functions));
    if (functions.size() > shown)
        list += fmt::format(" and {} more", functions.size() - shown);

    // Replacing one letter by a set, as in f[o]o, often makes a glob that matches all of them.
    size_t letter = text.find_last_of(':') + 1;
    std::string glob = fmt::format("{}[{}]{}", text.substr(0, letter), text.substr(letter, 1),
                                   text.substr(std::min(letter + 1, text.size())));
    NamePattern pattern(glob, !sources.image().is_go());
    bool takes_all = std::all_of(functions.begin(), functions.end(), [&](const Function &function) {
        return pattern.match(function.name) == NamePattern::Match::Glob;
    });
    return fail("'{}' means {} functions of {}: write one of {}{}", text, functions.size(),
                sources.path(), list, takes_all ? fmt::format("; or '{}' for all", glob) : "");
}

Failure<> fail_unknown(const SymbolSources &sources, std::string_view text)
{
    std::string damage = sources.image().section_damage();
    if (!damage.empty())
        damage = " (it is corrupt: " + damage + ")";
    if (sources.imports(text))
        return fail("'{}' is not in {}, which only calls it: name the library that defines it{}",
                    text, sources.path(), damage);
    bool with_parameters = text.find('(') != text.npos, is_pattern = is_name_glob(text);
    std::vector<std::string> names;
    sources.each_containing("", [&](const Symbol &symbol) {
        if (!sources.is_function(symbol))
            return;
        if (is_pattern) {  // a glob has no similar names
            names.resize(1);
            return;
        }
        std::string display = demangle(symbol.name);
        bool as_it_is = with_parameters || display == symbol.name;
        names.emplace_back(as_it_is ? display : without_parameters(display));
    });
    std::string bare = sources.image().why_bare();
    if (names.empty() && !bare.empty())
        return fail("'{}' cannot be found in {}: {}", text, sources.path(), bare);
    if (names.empty())
        return fail(
            "'{}' cannot be found in {}: it has no function symbols (stripped), and no "
            "debug file was found{}{}",
            text, sources.path(), sources.debug_search(), damage);
    std::string limit;
    if (sources.has_only_exports() && damage.empty())
        limit = " (stripped, without a debug file: only exported functions are known)" +
                sources.debug_search();
    if (is_pattern)
        return fail("no function of {} matches '{}'{}{}", sources.path(), text, limit, damage);
    return fail("no function '{}' in {}{}{}{}", text, sources.path(), limit,
                did_you_mean(near_names(text, names)), damage);
}

Result<std::vector<Function>> find_by_start(SymbolSources &sources, uint64_t vaddr, bool notes)
{
    sources.load_debug_data();
    std::vector<Symbol> symbols;
    sources.each_containing("", [&](const Symbol &symbol) {
        if (symbol.vaddr == vaddr && sources.is_function(symbol))
            symbols.push_back(symbol);
    });
    if (symbols.empty())
        return std::vector{TRY(unnamed_at(sources, vaddr))};
    auto functions = TRY(make_functions(sources, std::move(symbols), true));
    if (notes && !sources.image().is_go())
        add_notes(sources, functions);
    return functions;
}

}  // namespace

Result<std::vector<Function>> find_functions(const Image &image, std::string_view pattern,
                                             const SymbolOptions &options)
{
    SymbolSources sources(image, options);
    if (auto start = parse_start_name(pattern))
        return find_by_start(sources, *start, options.notes);
    if (pattern.starts_with('+') && is_name_glob(pattern)) {
        sources.load_debug_data();
        return find_unnamed(sources, pattern);
    }
    auto versioned = split_version(pattern);
    sources.keep_containing(versioned ? versioned->base
                                      : NamePattern(pattern, !image.is_go()).required_text());
    if (versioned) {
        auto functions = TRY(find_versions(sources, *versioned));
        if (!functions.empty())
            return functions;
    }
    BestMatches best = find_by_symbol(sources, pattern);
    if (best.empty() && sources.load_debug_data())
        best = find_by_symbol(sources, pattern);
    if (best.empty() && image.is_go())  // an assembly function that Go code does not call
        best = find_by_symbol(sources, fmt::format("{}.abi0", pattern));
    if (best.empty())
        best = find_by_pattern(sources, pattern);
    if (best.empty())
        return fail_unknown(sources, pattern);

    constexpr auto bare = NamePattern::Match::WithoutTemplateArguments;
    bool takes_all = best.rank() == glob_rank;
    bool without_arguments = best.rank() / 2 == static_cast<unsigned>(bare);
    std::vector<Symbol> symbols = best.take();
    auto functions = TRY(make_functions(sources, symbols, true));
    if (options.notes && takes_all) {
        sort(symbols);
        add_merged_notes(symbols, functions);
    }
    if (!takes_all && !are_same_function(functions, without_arguments))
        return fail_ambiguous(sources, pattern, functions);
    if (!takes_all && !image.is_go()) {
        if (options.notes)
            add_notes(sources, functions);
        auto copies = TRY(make_functions(sources, find_copies(sources, functions), true));
        for (Function &copy : copies) {
            copy.is_copy = true;
            functions.push_back(std::move(copy));
        }
    }
    return functions;
}

Result<std::vector<Function>> find_functions(const Image &image, const Regex &regex,
                                             const SymbolOptions &options)
{
    SymbolSources sources(image, options);
    sources.load_debug_data();
    std::vector<Symbol> symbols;
    sources.each_containing("", [&](const Symbol &symbol) {
        bool is_cold = !image.is_go() && split_clone(symbol.name).is_cold();
        if (!is_cold && sources.is_function(symbol) && regex_matches(regex, symbol.name))
            symbols.push_back(symbol);
    });
    auto functions = TRY(make_functions(sources, std::move(symbols), true));
    if (options.unnamed)
        add_unnamed(sources, regex, functions);
    return functions;
}

Result<std::vector<Function>> all_functions(const Image &image, const SymbolOptions &options)
{
    SymbolSources sources(image, options);
    sources.load_debug_data();
    std::vector<Symbol> symbols;
    sources.each_containing("", [&](const Symbol &symbol) {
        if (sources.is_function(symbol))
            symbols.push_back(symbol);
    });
    return make_functions(sources, std::move(symbols), options.demangle);
}

}  // namespace uscope::elf
