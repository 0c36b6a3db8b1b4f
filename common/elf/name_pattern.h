// Matches symbols against a name or glob that the user typed. The rules are those of
// find_functions() (elf/functions.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"

namespace uscope::elf {

// Splits off the suffix that a compiler adds to the name of a copy or part of a function:
// "f.constprop.0", "_Z1fv.isra.0.cold".
struct CloneName {
    std::string_view base, suffix;  // "f", ".constprop.0"; no suffix: the function itself
    bool is_cold() const { return suffix.find(".cold") != suffix.npos; }
    // Only part of the function's code; calls of the function do not enter it.
    bool is_fragment() const { return is_cold() || suffix.find(".part.") != suffix.npos; }
};
CloneName split_clone(std::string_view symbol);

// Removes white space that does not separate two words: "f(int const *, A)" -> "f(int const*,A)".
std::string squeeze(std::string_view text);

// Is it a glob, with * ? or [? The star of a Go receiver, "main.(*T).Do", does not count.
bool is_name_glob(std::string_view text);

class NamePattern {
  public:
    // `with_clones`: false for languages without such suffixes (in Go, main.cold is a function).
    explicit NamePattern(std::string_view text, bool with_clones = true);

    enum class Match : uint8_t {   // best first
        Whole,                     // "ns::f(int) const"
        WithoutQualifiers,         // "ns::f(int)"
        WithoutParameters,         // "ns::f", "f<int>"
        WithoutTemplateArguments,  // "f"
        Clone,                     // any of these, for a copy of the function ("f.constprop.0")
        Glob,
    };
    // Returns a text that every matching symbol's name contains, the longest one known; may be
    // empty.
    std::string_view required_text() const;
    // Returns how the symbol's name matches, other than by being equal to the text; nullopt if it
    // does not. Demangles only names that contain all identifiers of the pattern.
    std::optional<Match> match(std::string_view symbol) const;

  private:
    struct Needle {
        std::string text;  // "dispatch_command"
        // "16dispatch_command", as in mangled C++; empty: `text` is only part of an identifier.
        std::string prefixed;
    };
    void add_needle(size_t start, size_t end);
    bool may_match(std::string_view mangled) const;
    std::optional<Match> match_demangled(std::string_view mangled) const;

    std::string text_, glob_, squeezed_;
    bool is_glob_, with_clones_;
    std::vector<Needle> needles_;
};

// Does `regex` match the symbol's name, or its demangled name with or without parameters?
bool regex_matches(const Regex &regex, std::string_view symbol);

}  // namespace uscope::elf
