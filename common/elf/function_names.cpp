// Collects the names of functions, raw and demangled, that start with a text.
#include "elf/function_names.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/text.h"
#include "elf/demangle.h"
#include "elf/name_pattern.h"
#include "elf/symbol_sources.h"
#include "elf/unnamed_functions.h"

namespace uscope::elf {
namespace {

// Returns the longest identifier in `prefix` that is certainly also in the mangled name of each
// function whose name starts with `prefix`; "" if there is none. Not certain are: types and
// brackets; names of namespace std, which has abbreviations, and what may become "std::" or
// "operator".
std::string_view sure_identifier(std::string_view prefix)
{
    constexpr std::string_view rewritten[] = {"std", "operator"};
    std::string_view plain = prefix.substr(0, prefix.find_first_of("<({[")), longest;
    for (size_t at = 0, end; at < plain.size(); at = end + 1) {
        for (end = at; end < plain.size() && is_identifier(plain[end]);)
            end++;
        std::string_view word = plain.substr(at, end - at);
        for (std::string_view other : rewritten) {
            if (other.starts_with(word) && at == 0 && end == plain.size())
                return "";
            if (word == "std" || other.starts_with(word))
                word = "";
        }
        if (word.size() > longest.size())
            longest = word;
    }
    return plain.starts_with("std::") ? "" : longest;
}

// The first identifier of a mangled C++ name: "ns" for _ZN2ns1fEv, "f" for _Z1fv.
struct FirstName {
    std::string_view text;
    char after = 0;  // the first letter of what follows it in the mangled name
    bool is_nested = false;
};

// Returns nullopt for a name of another form, such as Rust's newer ones. Names of functions in
// functions (_ZZ) start with that of the outer one.
std::optional<FirstName> first_name(std::string_view mangled)
{
    if (!mangled.starts_with("_Z"))
        return std::nullopt;
    mangled.remove_prefix(std::min(mangled.find_first_not_of('Z', 1), mangled.size()));
    FirstName first;
    first.is_nested = mangled.starts_with('N');
    if (first.is_nested)
        mangled.remove_prefix(std::min(mangled.find_first_not_of("NrVKRO"), mangled.size()));
    if (mangled.size() > 1 && mangled[0] == 'S' && islower(mangled[1])) {  // St, Ss, Sa …
        first.text = "std";
        first.is_nested = true;
        return first;
    }
    size_t length = 0, digits = 0;
    for (; digits < mangled.size() && isdigit(mangled[digits]) && digits < 5; digits++)
        length = length * 10 + size_t(mangled[digits] - '0');
    if (digits == 0 || digits + length > mangled.size())
        return std::nullopt;
    first.text = mangled.substr(digits, length);
    if (first.text.find('$') != first.text.npos)  // Rust's "<A as B>"
        return std::nullopt;
    if (first.text.starts_with("_GLOBAL__N_"))
        first.text = "(anonymous namespace)";
    first.after = digits + length < mangled.size() ? mangled[digits + length] : 0;
    return first;
}

// Where a name that is longer than `typed` is cut: after the next "::" or '<'; npos: nowhere.
size_t scope_end(std::string_view name, size_t typed)
{
    for (size_t i = typed; i < name.size() && name[i] != '('; i++) {
        if (name[i] == '<')
            return name.substr(0, i).ends_with("operator") ? name.npos : i + 1;
        if (name[i] == ':' && i > 0 && name[i - 1] == ':')
            return i + 1;
    }
    return name.npos;
}

class NameList {
  public:
    NameList(std::string_view prefix, bool has_clones)
        : prefix_(prefix),
          first_(prefix.substr(0, prefix.find_first_of(":<("))),
          has_clones_(has_clones),
          takes_scopes_(prefix.find_first_of("<(") == prefix.npos)
    {
        if (prefix.starts_with('('))
            first_ = prefix.substr(0, prefix.find(':'));
    }

    void add(std::string_view symbol)
    {
        bool is_thunk = symbol.starts_with("_ZT") || symbol.starts_with("_ZG");
        if (is_thunk || (has_clones_ && !split_clone(symbol).suffix.empty()))
            return;
        if (!is_mangled(symbol)) {
            if (symbol.starts_with(prefix_))
                add_name(symbol, symbol);
            return;
        }
        if (auto first = first_name(symbol); first && !may_start(*first))
            return;
        std::string display = demangle(symbol);
        // The name of a generic function of Rust without arguments means all its instances.
        if (is_rust(symbol) && takes_scopes_ && !display.starts_with('<'))
            display = without_template_arguments(display);
        if (display.starts_with(prefix_))
            add_name(without_parameters(display), display);
    }

    std::vector<NamedFunction> take()
    {
        std::sort(names_.begin(), names_.end());
        names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
        bool with_parameters = prefix_.find('(') != prefix_.npos;
        std::vector<NamedFunction> names;
        for (const std::string &scope : scopes_)
            names.push_back({scope, true});
        for (size_t i = 0; i < names_.size(); i++) {
            auto is_same = [&](size_t other) { return names_[other].shown == names_[i].shown; };
            bool is_overloaded =
                (i > 0 && is_same(i - 1)) || (i + 1 < names_.size() && is_same(i + 1));
            bool is_whole = with_parameters || is_overloaded;
            names.push_back({is_whole ? names_[i].whole : names_[i].shown});
        }
        std::sort(names.begin(), names.end());
        return names;
    }

  private:
    struct Name {
        std::string shown, whole;  // "ns::f", "ns::f(int)"
        auto operator<=>(const Name &) const = default;
    };

    // May a name that starts so match? Adds its scope if nothing else needs to be known of it.
    bool may_start(const FirstName &first)
    {
        if (first_.size() < prefix_.size())  // the first identifier is complete
            return first.text == first_;
        bool matches = first.text.starts_with(first_);
        bool is_scope = first.is_nested || first.after == 'I';
        if (!matches || !is_scope)
            return matches;
        scopes_.insert(std::string(first.text) + (first.after == 'I' ? "<" : "::"));
        return false;
    }

    void add_name(std::string_view shown, std::string_view whole)
    {
        size_t end = takes_scopes_ ? scope_end(shown, prefix_.size()) : shown.npos;
        if (end == shown.npos)
            names_.push_back({std::string(shown), std::string(whole)});
        else
            scopes_.insert(std::string(shown.substr(0, end)));
    }

    std::string_view prefix_, first_;  // first_: its first identifier
    bool has_clones_, takes_scopes_;
    std::vector<Name> names_;
    std::set<std::string> scopes_;
};

}  // namespace

std::vector<NamedFunction> function_names(const Image &image, std::string_view prefix,
                                          const SymbolOptions &options)
{
    SymbolSources sources(image, options);
    sources.load_debug_data();
    if (prefix.starts_with('+')) {
        std::vector<NamedFunction> unnamed;
        for (const Frame &function : unnamed_functions(sources))
            if (std::string name = start_name(function.start); name.starts_with(prefix))
                unnamed.push_back({std::move(name)});
        return unnamed;
    }
    NameList names(prefix, !image.is_go());
    sources.each_containing(sure_identifier(prefix), [&](const Symbol &symbol) {
        if (sources.is_function(symbol))
            names.add(symbol.name);
    });
    return names.take();
}

}  // namespace uscope::elf
