// Matches the names that users type with mangled names, but demangles only a few of these.
//
// A mangled C++ name contains each identifier of the demangled name at least once, after its
// length. For example, ns::dispatch_command(ns::Thing *) is _ZN2ns16dispatch_commandEPNS_5ThingE
// (S_ stands for the second `ns`). A mangled name without "16dispatch_command" cannot be
// ns::dispatch_command, so it need not be demangled, which takes about 550 ns for an average name
// of libjvm. For Rust, only the identifier without its length is searched for: v0 may have a '_'
// between the two, and the legacy mangling has one length for several identifiers.
//
// Words that the demangler adds (`operator`, `int`, `std::string` for `Ss`) are not in the mangled
// name, so they are not searched for. Descriptions ("non-virtual thunk to ns::f()", which is
// mangled as _ZThn…) have more such words, and so may globs that match descriptions. In a glob, any
// identifier may be only a part of a word, so parts of these words are not searched for either.
#include "elf/name_pattern.h"

#include <string.h>

#include <utility>

#include "base/text.h"
#include "elf/demangle.h"

namespace uscope::elf {
namespace {

// The words that the demangler adds. Each has a space on both sides.
constexpr std::string_view demangler_words =
    // types and their qualifiers
    " void bool char short int long float double unsigned signed wchar_t char8_t char16_t char32_t"
    " __int128 __float128 _Float16 _Float32 _Float64 _Float128 _Float32x _Float64x bfloat16_t"
    " half decimal32 decimal64 decimal128 byte boolean auto decltype nullptr typename struct union"
    " enum const volatile restrict __restrict _Complex _Imaginary complex imaginary __vector"
    " _Accum _Fract _Sat noexcept throw transaction_safe"
    // operators and expressions
    " operator new delete co_await sizeof alignof typeid this true false dynamic_cast static_cast"
    " const_cast reinterpret_cast requires"
    // std, by the abbreviations St Sa Sb Ss Si So Sd
    " std allocator basic_string string string_view char_traits basic_istream istream "
    "basic_ostream ostream"
    " basic_iostream iostream"
    // parts of names that are not identifiers
    " anonymous namespace unnamed type lambda default arg parm literal abi clone"
    // Rust
    " i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f16 f32 f64 f128 str dyn mut as for "
    "unsafe extern"
    " fn impl vtable closure shim _ ";

// The words with which the demangler describes symbols that are not functions in the source.
constexpr std::string_view description_words =
    " VTT construction in typeinfo name thunk to non virtual covariant return guard variable"
    " reference temporary hidden alias transaction TLS init function wrapper object template"
    " parameter ";

// Is `text` one of `words` or, if not `whole`, a part of `words`?
bool is_word(std::string_view words, std::string_view text, bool whole)
{
    if (!whole)
        return words.find(text) != words.npos;
    return words.find(' ' + std::string(text) + ' ') != words.npos;
}

// Is `text` a description, such as "non-virtual thunk to ns::f()" or
// "typeinfo for (anonymous namespace)::Thing"?
bool is_description(std::string_view text)
{
    for (std::string_view word : {" to", " for"})
        for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
            if (at + word.size() < text.size() && !is_identifier(text[at + word.size()]))
                return true;
    return false;
}

bool contains(std::string_view text, const std::string &needle)
{
    return memmem(text.data(), text.size(), needle.data(), needle.size()) != nullptr;
}

// Replaces the templates of libstdc++ and libc++ for which users type std::string and
// std::string_view in a squeezed name.
std::string with_short_strings(std::string name)
{
    constexpr std::pair<std::string_view, std::string_view> templates[] = {
        {"std::__cxx11::basic_string<char,std::char_traits<char>,std::allocator<char>>",
         "std::string"},
        {"std::basic_string<char,std::char_traits<char>,std::allocator<char>>", "std::string"},
        {"std::__1::basic_string<char,std::__1::char_traits<char>,std::__1::allocator<char>>",
         "std::string"},
        {"std::basic_string_view<char,std::char_traits<char>>", "std::string_view"},
        {"std::__1::basic_string_view<char,std::__1::char_traits<char>>", "std::string_view"},
    };
    for (auto [whole, brief] : templates) {
        for (size_t at; (at = name.find(whole)) != name.npos;) {
            name.replace(at, whole.size(), brief);
            size_t end = at + brief.size();  // squeeze() removed the space in "> const"
            if (end < name.size() && is_identifier(name[end]))
                name.insert(end, " ");
        }
    }
    return name;
}

// Removes ".WORD" or ".WORD.DIGITS" from the end of `name` if compilers add this word to names.
// Returns false if it removed nothing.
bool remove_clone_part(std::string_view &name)
{
    std::string_view rest = name;
    size_t digits = rest.find_last_not_of("0123456789");
    if (digits != rest.npos && digits + 1 < rest.size() && rest[digits] == '.')
        rest = rest.substr(0, digits);
    size_t dot = rest.rfind('.');
    if (dot == rest.npos || dot == 0)
        return false;
    std::string_view word = rest.substr(dot + 1);
    for (std::string_view known : {"cold", "part", "constprop", "isra", "lto_priv", "localalias",
                                   "clone", "llvm", "__uniq"}) {
        if (word == known) {
            name = name.substr(0, dot);
            return true;
        }
    }
    return false;
}

// Replaces by `star` each star in the receiver of a Go method: after "(" at the start, or after
// ".(".
std::string with_receiver_star(std::string_view text, std::string_view star)
{
    std::string result;
    for (size_t i = 0; i < text.size(); i++) {
        bool in_receiver =
            text[i] == '*' && i > 0 && text[i - 1] == '(' && (i == 1 || text[i - 2] == '.');
        result += in_receiver ? star : text.substr(i, 1);
    }
    return result;
}

}  // namespace

bool is_name_glob(std::string_view text)
{
    return is_glob(with_receiver_star(text, ""));
}

CloneName split_clone(std::string_view symbol)
{
    std::string_view base = symbol;
    while (remove_clone_part(base))
        ;
    return {base, symbol.substr(base.size())};
}

std::string squeeze(std::string_view text)
{
    std::string result;
    bool space = false;
    for (char c : text) {
        if (c == ' ' || c == '\t') {
            space = true;
            continue;
        }
        if (space && !result.empty() && is_identifier(result.back()) && is_identifier(c))
            result += ' ';
        space = false;
        result += c;
    }
    return result;
}

NamePattern::NamePattern(std::string_view text, bool with_clones)
    : text_(text),
      glob_(with_receiver_star(text, "\\*")),
      squeezed_(squeeze(plain_rust_name(text))),
      rust_glob_(squeeze(text)),
      is_glob_(is_name_glob(text)),
      with_clones_(with_clones)
{
    for (size_t at = 0; at < squeezed_.size();) {
        if (is_glob_ && squeezed_[at] == '[') {  // skip the letters of a set
            size_t close = squeezed_.find(']', at + 1);
            at = close == squeezed_.npos ? at + 1 : close;
        }
        size_t end = at;
        while (end < squeezed_.size() && is_identifier(squeezed_[end]))
            ++end;
        if (end > at)
            add_needle(at, end);
        at = std::max(end, at + 1);
    }
}

void NamePattern::add_needle(size_t start, size_t end)
{
    std::string text = squeezed_.substr(start, end - start);
    char before = start > 0 ? squeezed_[start - 1] : ' ';
    char after = end < squeezed_.size() ? squeezed_[end] : ' ';
    // Skip texts that are different in mangled names or not there: numbers, characters beyond ASCII
    // (in Rust), lifetimes ('a) and ABIs ("C").
    bool ascii = true;
    for (char c : text)
        ascii &= static_cast<unsigned char>(c) < 0x80;
    if ((text[0] >= '0' && text[0] <= '9') || !ascii || before == '\'' || before == '"')
        return;
    // If one of these is on both sides of `text`, `text` is a whole identifier. Some identifiers
    // contain '$' or '.'.
    std::string_view separators = is_glob_ ? " :(),<>~&" : " :(),<>~&*[]";
    bool whole =
        separators.find(before) != separators.npos && separators.find(after) != separators.npos;
    if (is_word(demangler_words, text, whole) ||
        ((is_glob_ || is_description(squeezed_)) && is_word(description_words, text, whole)))
        return;
    std::string prefixed = whole ? std::to_string(text.size()) + text : std::string();
    needles_.push_back({std::move(text), std::move(prefixed)});
}

std::string_view NamePattern::required_text() const
{
    std::string_view longest;
    for (const Needle &needle : needles_)
        if (needle.text.size() > longest.size())
            longest = needle.text;
    return longest;
}

bool NamePattern::may_match(std::string_view mangled) const
{
    bool by_text = is_rust(mangled);
    for (const Needle &needle : needles_)
        if (!contains(mangled, by_text || needle.prefixed.empty() ? needle.text : needle.prefixed))
            return false;
    return true;
}

std::optional<NamePattern::Match> NamePattern::match(std::string_view symbol) const
{
    CloneName clone = with_clones_ ? split_clone(symbol) : CloneName{symbol, {}};
    bool is_copy = !clone.suffix.empty() && !clone.is_fragment();
    if (is_copy && clone.base == text_)
        return Match::Clone;
    if (is_glob_ && !clone.is_cold() && glob_match(glob_, symbol))
        return Match::Glob;
    if (!is_mangled(symbol) || !may_match(symbol))
        return std::nullopt;
    if (!clone.suffix.empty() && squeeze(demangle(symbol)) == squeezed_)
        return Match::Whole;  // the user typed "f(int) [clone .constprop.0]", as listings show it
    auto match = match_demangled(clone.base);
    if (match && *match != Match::Glob && !clone.suffix.empty())
        return is_copy ? std::optional(Match::Clone) : std::nullopt;
    if (match == Match::Glob && clone.is_cold())
        return std::nullopt;
    return match;
}

std::optional<NamePattern::Match> NamePattern::match_demangled(std::string_view mangled) const
{
    std::string whole = demangle(mangled);
    std::string squeezed = squeeze(whole);
    if (squeezed == squeezed_)
        return Match::Whole;
    if (squeezed_.ends_with(squeezed) && squeeze(demangle_with_return_type(mangled)) == squeezed_)
        return Match::Whole;
    if (squeeze(without_qualifiers(whole)) == squeezed_)
        return Match::WithoutQualifiers;
    if (squeezed_.find("std::string") != squeezed_.npos) {
        if (with_short_strings(squeezed) == squeezed_)
            return Match::Whole;
        if (with_short_strings(squeeze(without_qualifiers(whole))) == squeezed_)
            return Match::WithoutQualifiers;
    }
    std::string_view name = without_parameters(whole);
    std::string squeezed_name = squeeze(name);
    if (squeezed_name == squeezed_)
        return Match::WithoutParameters;
    if (squeeze(without_template_arguments(name)) == squeezed_)
        return Match::WithoutTemplateArguments;
    if (is_glob_ && (glob_match(squeezed_, squeezed) || glob_match(squeezed_, squeezed_name) ||
                     (is_rust(mangled) && glob_matches_rust(mangled, name))))
        return Match::Glob;
    return std::nullopt;
}

// The legacy mangling has no arguments of generic functions, so the glob need not match them. It
// may also match the name as the mangling writes it.
bool NamePattern::glob_matches_rust(std::string_view mangled, std::string_view name) const
{
    return glob_match(squeezed_, squeeze(without_template_arguments(name))) ||
           glob_match(rust_glob_, squeeze(demangle_with_return_type(mangled)));
}

bool regex_matches(const Regex &regex, std::string_view symbol)
{
    if (regex.matches(symbol))
        return true;
    if (!is_mangled(symbol))
        return false;
    std::string whole = demangle(split_clone(symbol).base);
    if (regex.matches(whole) || regex.matches(without_parameters(whole)))
        return true;
    return is_rust(symbol) && (regex.matches(without_template_arguments(whole)) ||
                               regex.matches(demangle_with_return_type(split_clone(symbol).base)));
}

}  // namespace uscope::elf
