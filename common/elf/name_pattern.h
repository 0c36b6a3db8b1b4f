// Decides whether a symbol of a file matches the name or glob that a user typed. find_functions()
// in elf/functions.h lists the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"

namespace uscope::elf {

// Compilers add a suffix to the name of a function's copy ("f.constprop.0") or part
// ("_Z1fv.isra.0.cold"). split_clone() separates it from the name.
struct CloneName {
    std::string_view base, suffix;  // "f", ".constprop.0" ("": the function itself)
    bool is_cold() const { return suffix.find(".cold") != suffix.npos; }
    // Is it only a part of the function, which callers of the function do not call?
    bool is_fragment() const { return is_cold() || suffix.find(".part.") != suffix.npos; }
};
CloneName split_clone(std::string_view symbol);

// Removes all white space, except between two words: "f(int const *, A)" -> "f(int const*,A)".
std::string squeeze(std::string_view text);

// Does `text` contain * ? or [, so that it is a glob? The star in the name of a Go method,
// "main.(*T).Do", does not count.
bool is_name_glob(std::string_view text);

class NamePattern {
  public:
    // `with_clones`: do the file's compilers add suffixes for copies? Not Go's: main.cold is an
    // ordinary function there.
    explicit NamePattern(std::string_view text, bool with_clones = true);

    enum class Match : uint8_t {   // how a name matches, the best match first
        Whole,                     // "ns::f(int) const"
        WithoutQualifiers,         // "ns::f(int)"
        WithoutParameters,         // "ns::f", "f<int>"
        WithoutTemplateArguments,  // "f"
        Clone,                     // any of the above, for a copy ("f.constprop.0")
        Glob,
    };
    // Returns a text that is in the name of every symbol that can match; "" if no such text is
    // known. Callers search for it before they call match().
    std::string_view required_text() const;
    // Returns how the symbol's name matches the pattern; nullopt if it does not. Does not check
    // whether the two are equal: callers do that first. To save time, demangles only names that
    // contain all identifiers in the pattern.
    std::optional<Match> match(std::string_view symbol) const;

  private:
    // An identifier in the pattern, which the mangled name of a matching symbol must contain.
    struct Needle {
        std::string text;  // "dispatch_command"
        // With its length, as in mangled C++ names: "16dispatch_command". Empty if `text` may be
        // only a part of an identifier.
        std::string prefixed;
    };
    void add_needle(size_t start, size_t end);
    bool may_match(std::string_view mangled) const;
    std::optional<Match> match_demangled(std::string_view mangled) const;
    bool glob_matches_rust(std::string_view mangled, std::string_view name) const;

    std::string text_, glob_, squeezed_, rust_glob_;
    bool is_glob_, with_clones_;
    std::vector<Needle> needles_;
};

// Does `regex` match the symbol's name, or its demangled name with or without parameters? Rust's
// names also match without the arguments of generics, and as the mangling writes them.
bool regex_matches(const Regex &regex, std::string_view symbol);

}  // namespace uscope::elf
