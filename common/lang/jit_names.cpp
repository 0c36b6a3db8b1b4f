// Runtimes list each piece of code that they have made for a function. V8:
//
//     LazyCompile:*pay /srv/shop.js:1:13      Node 16 and 18: optimized
//     JS:~pay /srv/shop.js:1:13               interpreted
//     JS:^pay /srv/shop.js:1:13               compiled by Sparkplug
//     JS:+'pay /srv/shop.js:1:13              compiled by Maglev, for one closure only (Node 26)
//     JS:o*'pay /srv/shop.js:1:13             optimized while a call was under way
//
// A script or function without a name has nothing between the marks and the space. JavaScriptCore:
//
//     JSC-Baseline: pay#DV4ajw                a hash of the code; JSC-DFG and JSC-FTL: optimized
//     JSC-Baseline: /srv/shop.js#Em5lY5       a script's own code
//
// Erlang's BEAM:
//
//     $shop:pay/2                             a function of two arguments
#include "lang/jit_names.h"

#include <algorithm>
#include <array>

namespace uscope::lang {
namespace {

constexpr const char *no_name = "<anonymous>";

// The rest of `text` after the first of these with which it begins, or nullopt.
template <size_t Count>
std::optional<std::string_view> after_any(const std::array<std::string_view, Count> &any,
                                          std::string_view text)
{
    for (std::string_view one : any)
        if (text.starts_with(one))
            return text.substr(one.size());
    return std::nullopt;
}

std::string_view without_marks(std::string_view text)
{
    constexpr std::string_view tiers = "~^+*";
    std::string_view marked = text.starts_with('o') ? text.substr(1) : text;
    if (marked.empty() || tiers.find(marked.front()) == tiers.npos)
        return text;
    marked.remove_prefix(1);
    return marked.starts_with('\'') ? marked.substr(1) : marked;
}

// Removes ":NUMBER" from the end of `text` and returns the number; "" if there is none.
std::string_view take_number(std::string_view &text)
{
    size_t colon = text.rfind(':');
    std::string_view number = colon == text.npos ? "" : text.substr(colon + 1);
    if (number.empty() || number.find_first_not_of("0123456789") != number.npos)
        return "";
    text.remove_suffix(number.size() + 1);
    return number;
}

JitMethod v8_method(std::string_view text)
{
    text = without_marks(text);
    std::string_view place = text;
    std::string_view column = take_number(place), line = take_number(place);
    if (column.empty() || line.empty())
        return {text.empty() ? no_name : std::string(text), ""};
    // A path may contain spaces, and so may a name, such as "get size".
    size_t space = std::min(place.find(" /"), place.find(" file:"));
    if (space == place.npos)
        space = place.rfind(' ');
    if (space == place.npos)
        return {place.empty() ? no_name : std::string(place), ""};
    std::string_view function = place.substr(0, space), script = place.substr(space + 1);
    return {function.empty() ? no_name : std::string(function),
            script.empty() ? "" : script_name(std::string(script)) + ":" + std::string(line)};
}

JitMethod jsc_method(std::string_view text)
{
    std::string name(text.substr(0, text.rfind('#')));
    if (name.starts_with('/'))
        return {no_name, script_name(std::move(name))};
    return {name.empty() ? no_name : name, ""};
}

}  // namespace

std::string script_name(std::string name)
{
    bool is_path = name.starts_with('/') || name.find("://") != name.npos;
    return is_path ? name.substr(name.rfind('/') + 1) : name;
}

std::optional<JitMethod> parse_jit_name(std::string_view name)
{
    constexpr std::array<std::string_view, 5> v8 = {
        "JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};
    constexpr std::array<std::string_view, 3> jsc = {"JSC-Baseline: ", "JSC-DFG: ", "JSC-FTL: "};
    if (auto text = after_any(v8, name))
        return v8_method(*text);
    if (name.starts_with('$') && name.find(':') != name.npos)
        return JitMethod{std::string(name.substr(1)), ""};
    auto text = after_any(jsc, name);
    return text && text->find('#') != text->npos ? std::optional(jsc_method(*text)) : std::nullopt;
}

}  // namespace uscope::lang
