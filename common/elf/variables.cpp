// A compiler mangles the name of a variable in C++ and Rust by Itanium's rules: ns::counter is
// _ZN2ns7counterE, with an L before the last part if it is static; counter is _ZL7counter if it is
// static, else not mangled. Rust's older mangling adds a hash: _ZN5crate4NAME17h0123456789abcdefE.
#include "elf/variables.h"

#include <string>

#include "base/format.h"
#include "elf/symbol_sources.h"

namespace uscope::elf {
namespace {

struct Mangled {
    std::string start;           // without the last part
    std::string last;            // "7counter"
    bool is_nested = false;      // in a namespace or class: "E" ends the name
    std::string_view unmangled;  // "" if is_nested
};

Mangled mangled(std::string_view name)
{
    Mangled result;
    std::vector<std::string_view> parts;
    for (std::string_view rest = name;;) {
        size_t colons = rest.find("::");
        parts.push_back(rest.substr(0, colons));
        if (colons == rest.npos)
            break;
        rest.remove_prefix(colons + 2);
    }
    result.is_nested = parts.size() > 1;
    result.start = result.is_nested ? "_ZN" : "_Z";
    for (std::string_view part : parts) {
        result.start += result.last;
        result.last = fmt::format("{}{}", part.size(), part);
    }
    if (!result.is_nested)
        result.unmangled = name;
    return result;
}

// g++ marks variables whose type has the new std::string or std::list.
constexpr std::string_view abi_tag = "B5cxx11";
constexpr std::string_view anonymous = "12_GLOBAL__N_1";  // an anonymous namespace

bool is_variable(std::string_view symbol, const Mangled &wanted)
{
    if (symbol == wanted.unmangled)
        return true;
    if (size_t at = symbol.find(anonymous); at != symbol.npos) {
        std::string rest(symbol);
        rest.erase(at, anonymous.size());
        std::string start = wanted.is_nested ? wanted.start : "_ZN";
        return is_variable(
            rest, {.start = start, .last = wanted.last, .is_nested = true, .unmangled = {}});
    }
    if (!symbol.starts_with(wanted.start))
        return false;
    symbol.remove_prefix(wanted.start.size());
    if (bool is_static = symbol.starts_with('L'))
        symbol.remove_prefix(is_static);
    else if (!wanted.is_nested && !symbol.ends_with(abi_tag))
        return false;
    if (!symbol.starts_with(wanted.last))
        return false;
    symbol.remove_prefix(wanted.last.size());
    if (symbol.starts_with(abi_tag))
        symbol.remove_prefix(abi_tag.size());
    if (!wanted.is_nested)
        return symbol.empty();
    constexpr std::string_view hash = "17h";
    return symbol == "E" || (symbol.starts_with(hash) && symbol.size() == hash.size() + 16 + 1);
}

// Searches the symbols whose names contain `text` for the one variable that is wanted.
template <class IsWanted>
std::optional<Variable> find(const Image &image, std::string_view text,
                             const SymbolOptions &options, IsWanted is_wanted)
{
    SymbolSources sources(image, options);
    std::optional<Variable> variable;
    bool is_ambiguous = false;
    auto look = [&] {
        sources.each_containing(text, [&](const Symbol &symbol) {
            if (!symbol.is_object || symbol.is_old_version || !is_wanted(symbol.name))
                return;
            is_ambiguous |= variable && variable->vaddr != symbol.vaddr;
            variable = Variable{symbol.vaddr, symbol.size};
        });
    };
    look();
    if (!variable && sources.load_debug_data())
        look();
    return is_ambiguous ? std::nullopt : variable;
}

}  // namespace

std::optional<Variable> find_variable(const Image &image, std::string_view name,
                                      const SymbolOptions &options)
{
    Mangled wanted = mangled(name);
    size_t colons = name.rfind("::");
    std::string_view last = colons == name.npos ? name : name.substr(colons + 2);
    return find(image, last, options,
                [&](std::string_view symbol) { return is_variable(symbol, wanted); });
}

std::optional<Variable> find_thread_variable(const Image &image, std::string_view name)
{
    if (!image.thread_bytes())
        return std::nullopt;
    Mangled wanted = mangled(name);
    std::optional<Variable> variable;
    bool is_ambiguous = false;
    for (const SymbolTable &table : symbol_tables(image)) {
        table.each_of_threads([&](const Symbol &symbol) {
            if (!is_variable(symbol.name, wanted))
                return;
            is_ambiguous |= variable && variable->vaddr != symbol.vaddr;
            variable = Variable{symbol.vaddr, symbol.size};
        });
    }
    return is_ambiguous ? std::nullopt : variable;
}

std::optional<uint64_t> find_object(const Image &image, std::string_view name,
                                    const SymbolOptions &options)
{
    auto found =
        find(image, name, options, [&](std::string_view symbol) { return symbol == name; });
    if (!found)
        return std::nullopt;
    return found->vaddr;
}

}  // namespace uscope::elf
