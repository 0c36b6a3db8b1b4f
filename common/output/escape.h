// Makes text of traced programs safe for a terminal and for JSON. No other code does this.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::output {

// Appends `text` so that it cannot move the cursor, or hide or forge a line. Control bytes and the
// backslash become \n \t \r \\ \xNN. Each byte of invalid UTF-8, of C1 controls (U+0080 … U+009F),
// and of line separators and Unicode bidirectional overrides (U+2028 … U+202E, U+2066 … U+2069)
// becomes \xNN. Other valid UTF-8 stays. The original bytes can be recovered from the result.
// `raw`: appends the text unchanged. Returns true if the text is known to be printable ASCII, which
// takes one column per byte.
bool append_escaped(std::string &out, std::string_view text, bool raw = false);
std::string escaped(std::string_view text);
// Returns the original bytes of a text that append_escaped() has written.
std::string unescaped(std::string_view text);

// Appends `text` as a JSON string with its quotes. Characters that append_escaped() escapes become
// \uNNNN. Each byte of invalid UTF-8 becomes \uefNN: the ConScript registry reserves these code
// points for this purpose. If the text itself has such a code point, each of its bytes becomes
// \uefNN as well, so the original bytes can be recovered from the result. (Python's
// "surrogateescape" uses half a surrogate pair instead, which strict readers refuse.)
void append_json_string(std::string &out, std::string_view text);

// Appends the text as valid UTF-8, for formats that require it, such as protobuf's strings. The
// bytes that append_json_string() replaces become the same code points, U+EF80 … U+EFFF.
void append_valid_utf8(std::string &out, std::string_view text);

// Pads what was appended since `start` to `width` columns, with blanks after it (`left`-aligned) or
// before it. `is_ascii`: it has one column per byte; otherwise output/columns.h measures it.
void pad(std::string &out, size_t start, size_t width, bool left, bool is_ascii = false);

inline void append(std::string &out, std::string_view text)
{
    out.append(text);
}

// Appends the number in decimal.
inline void append_decimal(std::string &out, uint64_t number)
{
    char digits[20];
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}
inline void append_decimal(std::string &out, int64_t number)
{
    if (number < 0)
        out.push_back('-');
    append_decimal(out, number < 0 ? -uint64_t(number) : uint64_t(number));
}

}  // namespace uscope::output
