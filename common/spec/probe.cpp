// Parses probes, by this grammar:
//
//     probe     := location [signature] [predicate] [format [","] [values]]
//     location  := [FILE ":"] NAME["+" OFFSET]       function entry; without FILE: in the kernel
//                | ["p:"] FILE ":" SOURCE ":" LINE   a line of a source file
//                | ("p" | "r") ":" [FILE] ":" NAME   function entry, return; "p::f": in the kernel
//                | "t:" CATEGORY ":" EVENT           tracepoint
//                | "u:" [FILE] ":" [PROVIDER ":"] NAME    USDT
//     signature := "(" C parameters with names ")"   directly after the name
//     predicate := "(" expression ")"                parentheses and quotes inside are balanced
//     format    := '"' printf text '"'
//     values    := expression { "," expression }     up to the end
//
// for example   r:c:malloc(size_t size) (retval == 0 && size > 10) "no %d bytes", size
//
// NAME may be a number, an address in the file; or "+0x349f", the function that starts there.
//
// FILE is a path, the name of a library without "lib" and ".so", or the name of a program.
// "uprobe:", "uretprobe:", "kprobe:", "kretprobe:", "tracepoint:" and "usdt:" may replace "p:",
// "r:", "t:" and "u:".
//
// Names in C++, Go and Rust may contain blanks, colons and parentheses, so these rules decide where
// a name ends:
//  - Inside (), [], {} and <>, everything belongs to the name: foo<int, a::b>::bar, {{closure}},
//    <T as Trait>::f, main.Map[int,string]. A name ends before a signature or predicate, or at a
//    blank outside of these brackets (but not at the blanks in "ns::f(int) const", "operator new",
//    "operator bool" and "[clone .cold]").
//  - "::" belongs to a C++ or Rust name; a single ":" separates parts. The last one separates FILE
//    from a function, because a path may contain others. After "u:" and "t:", every ":" separates,
//    also in "::": u::probe has no FILE.
//  - A part in quotes, 'single' or "double", may contain any character.
//  - A "(" after "." begins a Go receiver: main.(*T).Do.  "(anonymous namespace)" belongs to a C++
//    name.
//  - The content of any other "(" directly after the name decides its meaning (spec/parameters.cpp):
//      parameters with names  (char *s, size_t n)   a signature, BCC's way to give arguments types
//      only types             f(int, char const*)   part of the C++ name: selects this overload
//      nothing, or void       f()                   the name is f; in C++, selects the overload f()
//      anything else          open(arg2 == 42)      the predicate (BCC reads it as a signature)
//    A predicate that looks like a declaration, (a * b), needs a blank before its parenthesis.
//
// Each Piece of a Probe contains its column in the text that the user typed, so that a message can
// show this text with a mark under the error.

#include "spec/probe.h"

#include "base/text.h"
#include "spec/location.h"

namespace uscope::spec {

namespace {

// Parses what follows the location: predicate, format and values.
class TailParser {
  public:
    TailParser(std::string_view text, Location &location)
        : text_(text), probe_(location.probe), at_(location.end)
    {
    }

    Result<> parse()
    {
        skip_blanks();
        if (peek() == '(')
            TRY(predicate());
        skip_blanks();
        if (peek() == '"')
            TRY(format());
        if (at_ < text_.size())
            return unexpected();
        return {};
    }

  private:
    char peek() const { return at_ < text_.size() ? text_[at_] : 0; }

    void skip_blanks()
    {
        while (is_blank(peek()))
            at_++;
    }

    // Returns the position after the string or character literal that starts at `at`; nullopt if it
    // has no closing quote.
    std::optional<size_t> skip_string(size_t at) const
    {
        char quote = text_[at];
        for (at++; at < text_.size(); at++) {
            if (text_[at] == quote)
                return at + 1;
            if (text_[at] == '\\')
                at++;
        }
        return std::nullopt;
    }

    Result<> predicate()
    {
        size_t open = at_, depth = 0;
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (c == '"' || c == '\'') {
                auto end = skip_string(at_);
                if (!end)
                    return fail_at(text_, at_, "this quote is not closed");
                at_ = *end;
                continue;
            }
            at_++;
            depth += c == '(';
            if (c == ')' && --depth == 0) {
                probe_.predicate = piece_of(text_, open + 1, at_ - 1);
                if (probe_.predicate.text.empty())
                    return fail_at(text_, open, "an empty condition; write one, as in (arg1 > 10)");
                return {};
            }
        }
        return fail_at(text_, open, "this '(' is not closed");
    }

    Result<> format()
    {
        size_t open = at_;
        auto end = skip_string(at_);
        if (!end)
            return fail_at(text_, open, "the format is not closed with '\"'");
        probe_.has_format = true;
        probe_.format = {std::string(text_.substr(open + 1, *end - open - 2)), open + 1};
        at_ = *end;
        skip_blanks();
        bool comma = peek() == ',';
        at_ += comma;
        probe_.values = piece_of(text_, at_, text_.size());
        if (comma && probe_.values.text.empty())
            return fail_at(text_, text_.size(), "a value is missing after the comma");
        at_ = text_.size();
        return {};
    }

    Result<> unexpected() const
    {
        if (!probe_.predicate.text.empty())
            return fail_at(text_, at_,
                           "expected a format in quotes after the condition, as in "
                           "(arg1 > 10 && arg2) \"%d\", arg1");
        if (peek() == '\'')
            return fail_at(text_, at_, "a format needs double quotes, as in \"%d %s\", arg1, arg2");
        return fail_at(text_, at_,
                       "expected a condition in parentheses or a format in quotes, as in "
                       "c:open (arg2 == 42) \"%s %d\", arg1, arg2");
    }

    std::string_view text_;
    Probe &probe_;
    size_t at_;
};

}  // namespace

Result<Probe> parse_probe(std::string_view text)
{
    Location location = TRY(scan_location(text));
    TRY(TailParser(text, location).parse());
    return std::move(location.probe);
}

Result<Probe> parse_location(std::string_view text)
{
    Location location = TRY(scan_location(text));
    if (location.probe.has_signature)
        return fail_at(text, *location.parentheses,
                       "a list of parameters has no use here; types alone choose a C++ overload: "
                       "FILE:f(int)");
    size_t rest = text.find_first_not_of(blanks, location.end);
    if (rest != text.npos)
        return fail_at(text, rest, "expected nothing more after {}", text.substr(0, location.end));
    return std::move(location.probe);
}

}  // namespace uscope::spec
