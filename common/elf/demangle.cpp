// Demangles names with libiberty, within limits of time and memory; removes parts of demangled
// names.
#include "elf/demangle.h"

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#define HAVE_DECL_BASENAME 1  // else libiberty declares a basename() that conflicts with <string.h>
#include <libiberty/demangle.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::elf {
namespace {

// The limit is needed because back references let a name of a few hundred bytes expand to
// gigabytes.
constexpr size_t longest_text = 64 * 1024;

// Receives the text that libiberty writes.
struct Sink {
    std::string text;
    jmp_buf too_long;
};

extern "C" void append_to_sink(const char *text, size_t length, void *opaque)
{
    auto *sink = static_cast<Sink *>(opaque);
    // A callback cannot tell libiberty to stop, so end the demangling with longjmp(). Nothing
    // leaks: libiberty holds no allocated memory while it calls this function.
    if (length > longest_text - sink->text.size())
        longjmp(sink->too_long, 1);
    sink->text.append(text, length);
}

bool demangle_into(Sink &sink, const char *name, int options)
{
    if (setjmp(sink.too_long) != 0)
        return false;
    // Rust's legacy names are also valid C++ names, whose last component is the hash; so try Rust
    // first.
    if (rust_demangle_callback(name, options, append_to_sink, &sink))
        return true;
    sink.text.clear();
    return cplus_demangle_v3_callback(name, options, append_to_sink, &sink);
}

// A type in a D name may be a back reference, the letter Q, to an earlier part of the name. Each
// one can double the length of the result and makes libiberty recurse, so their number is limited.
std::string demangle_d(const std::string &name)
{
    constexpr size_t longest_name = 1024, max_references = 24;
    auto references = std::count(name.begin(), name.end(), 'Q');
    if (name.size() > longest_name || size_t(references) > max_references)
        return name;
    std::unique_ptr<char, decltype(&free)> text(dlang_demangle(name.c_str(), DMGL_PARAMS), free);
    return text ? text.get() : name;
}

bool is_d(std::string_view name)
{
    return name.starts_with("_D") && name.size() > 2 && name[2] >= '0' && name[2] <= '9';
}

std::string demangle_with(std::string_view name, int options)
{
    std::string terminated(name);
    if (is_d(name))
        return demangle_d(terminated);
    if (!is_mangled(name))
        return terminated;
    Sink sink;
    if (!demangle_into(sink, terminated.c_str(), options | DMGL_PARAMS | DMGL_ANSI))
        return terminated;
    return std::move(sink.text);
}

// GCC compiles a coroutine to several functions. Their mangled names contain the mangled name of
// the coroutine itself, preceded by its length and followed by ".Frame", as the type of their only
// parameter. For app::run(int), GCC up to 15 generates
// _ZN3app3runEPZNS_3runEiE19_ZN3app3runEi.Frame.actor, and GCC 16
// _ZN3app3runEPNS_19_ZN3app3runEi.FrameE.actor.
struct Coroutine {
    std::string_view name, clone;  // its mangled name, or ""; ".actor"
};

Coroutine coroutine_of(std::string_view name)
{
    constexpr std::string_view frame = ".Frame", digits = "0123456789";
    size_t end = name.find(frame), clone = end == name.npos ? end : name.find('.', end + 1);
    if (clone == name.npos)
        return {};
    std::string_view type = name.substr(0, end + frame.size());
    for (size_t at = type.find("_Z", 1); at != type.npos; at = type.find("_Z", at + 1)) {
        size_t before = type.find_last_not_of(digits, at - 1) + 1;
        if (std::to_string(type.size() - at) == type.substr(before, at - before))
            return {type.substr(at, end - at), name.substr(clone)};
    }
    return {};
}

bool remove_suffix(std::string_view &text, std::string_view suffix)
{
    if (!text.ends_with(suffix))
        return false;
    text.remove_suffix(suffix.size());
    return true;
}

bool remove_clone(std::string_view &text)
{
    if (!text.ends_with(']'))
        return false;
    size_t start = text.rfind(" [clone ");
    if (start == text.npos)
        return false;
    text = text.substr(0, start);
    return true;
}

// `text` ends with a closing bracket. Returns the position of the bracket that opens it, or npos.
size_t opening(std::string_view text, char open, char close)
{
    size_t depth = 0;
    for (size_t at = text.size(); at-- > 0;) {
        if (text[at] == close)
            ++depth;
        else if (text[at] == open && --depth == 0)
            return at;
    }
    return text.npos;
}

// `text` starts with '<'. Returns the number of characters up to and including the '>' that closes
// it, or 0 if none does. Ignores angle brackets inside round ones, because they belong to
// operators: "<&(operator<(A, A))>".
size_t angle_group(std::string_view text)
{
    size_t angles = 0, rounds = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        char c = text[at];
        if (c == '(')
            ++rounds;
        else if (c == ')' && rounds > 0)
            --rounds;
        else if (rounds > 0 || (c == '>' && text[at - 1] == '-'))  // "fn() -> T"
            continue;
        else if (c == '<')
            ++angles;
        else if (c == '>' && --angles == 0)
            return at + 1;
    }
    return 0;
}

// If the name of an operator with angle brackets, such as "operator<<", is at position `at`:
// returns its length; else 0.
size_t angle_operator(std::string_view name, size_t at)
{
    constexpr std::string_view word = "operator";
    std::string_view text = name.substr(at);
    if (!text.starts_with(word) || (at > 0 && is_identifier(name[at - 1])))
        return 0;
    for (std::string_view symbol :
         {"->*", "->", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "<", ">"})
        if (text.substr(word.size()).starts_with(symbol))
            return word.size() + symbol.size();
    return 0;
}

// The type of an inherent implementation may stand without brackets if it is a path: only
// "a::Type<A, B>" is one of a::Type<A, B>, dyn a::Trait, [T], &T and fn() -> T.
bool is_path(std::string_view type)
{
    if (type.empty() || !is_identifier(type[0]))
        return false;
    for (size_t at = 0; at < type.size(); ++at) {
        size_t group = type[at] == '<' ? angle_group(type.substr(at)) : 0;
        at += group ? group - 1 : 0;
        if (type[at] == ' ')
            return false;
    }
    return true;
}

// Returns the position of `word` in `text` outside angle brackets, or npos.
size_t find_outside(std::string_view text, std::string_view word)
{
    for (size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at).starts_with(word))
            return at;
        size_t group = text[at] == '<' ? angle_group(text.substr(at)) : 0;
        at += group ? group - 1 : 0;
    }
    return text.npos;
}

}  // namespace

bool is_rust(std::string_view mangled)
{
    return mangled.starts_with("_R") || mangled.find("17h") != mangled.npos;
}

std::string plain_rust_name(std::string_view name)
{
    constexpr std::string_view impl = "impl ", separator = "::<impl ";
    size_t start = name.starts_with('<') ? 0 : name.find(separator);
    bool is_impl = start != 0;
    if (start == name.npos)
        return std::string(name);
    start += is_impl ? 2 : 0;
    size_t group = angle_group(name.substr(start));
    std::string_view rest = name.substr(std::min(start + group, name.size()));
    if (group == 0 || !rest.starts_with("::"))
        return std::string(name);
    std::string_view type = name.substr(start + 1, group - 2);
    if (!is_impl)
        return std::string(is_path(type) ? type : name.substr(0, group)).append(rest);
    type.remove_prefix(impl.size());
    constexpr std::string_view word = " for ";
    if (size_t at = find_outside(type, word); at != type.npos)
        return fmt::format("<{} as {}>{}", type.substr(at + word.size()), type.substr(0, at), rest);
    return is_path(type) ? fmt::format("{}{}", type, rest) : fmt::format("<{}>{}", type, rest);
}

std::string_view trait_of(std::string_view name)
{
    constexpr std::string_view word = " as ";
    size_t group = name.starts_with('<') ? angle_group(name) : 0;
    if (group == 0)
        return "";
    std::string_view inside = name.substr(1, group - 2);
    size_t at = find_outside(inside, word);
    return at == inside.npos ? "" : inside.substr(at + word.size());
}

bool is_mangled(std::string_view name)
{
    return name.starts_with("_Z") || name.starts_with("_R") || is_d(name);
}

std::string demangle(std::string_view name)
{
    auto [coroutine, clone] = coroutine_of(name);
    if (!coroutine.empty())
        return demangle(coroutine) + " [clone " + std::string(clone) + "]";
    std::string demangled = demangle_with(name, DMGL_RET_DROP);
    return is_rust(name) ? plain_rust_name(demangled) : demangled;
}

std::string demangle_with_return_type(std::string_view name)
{
    return demangle_with(name, DMGL_NO_OPTS);
}

std::string_view without_qualifiers(std::string_view demangled)
{
    std::string_view text = demangled;
    while (remove_clone(text) || remove_suffix(text, " const") ||
           remove_suffix(text, " volatile") || remove_suffix(text, " &") ||
           remove_suffix(text, " &&") || remove_suffix(text, " noexcept"))
        ;
    return text.ends_with(')') ? text : demangled;
}

std::string_view without_parameters(std::string_view demangled)
{
    std::string_view text = without_qualifiers(demangled);
    if (!text.ends_with(')'))
        return text;
    size_t start = opening(text, '(', ')');
    std::string_view name = text.substr(0, start);
    // The last brackets may also belong to "(anonymous namespace)", or to an "operator()" that has
    // no parameter list.
    if (start == text.npos || start == 0 || name.ends_with(':') ||
        (name.ends_with("operator") && text.size() - start == 2))
        return text;
    return name;
}

std::string without_template_arguments(std::string_view name)
{
    std::string result;
    bool starts_with_type = name.starts_with('<');
    // In Rust's "<<a::A<u8>>::f::{closure#0} as T<u8>>::g", the arguments follow a name.
    auto opens_arguments = [&](size_t at) {
        return !starts_with_type || (at > 0 && (is_identifier(name[at - 1]) ||
                                                name[at - 1] == ':' || name[at - 1] == '}'));
    };
    for (size_t at = 0; at < name.size();) {
        std::string_view rest = name.substr(at);
        size_t copied = angle_operator(name, at), skipped = 0;
        if (rest[0] == '<' && opens_arguments(at)) {
            size_t group = angle_group(rest);
            if (group == 0)
                copied = rest.size();
            else
                skipped = group;
            if (skipped && result.ends_with("::"))  // Rust's "f::<u8>"
                result.resize(result.size() - 2);
        } else if (rest.starts_with("[abi:")) {
            skipped = rest.find(']') == rest.npos ? rest.size() : rest.find(']') + 1;
        }
        if (copied == 0 && skipped == 0)
            copied = 1;
        result += rest.substr(0, copied);
        at += copied + skipped;
    }
    return result;
}

}  // namespace uscope::elf
