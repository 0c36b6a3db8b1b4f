// Text of traced programs made safe for a terminal, and for JSON: here and nowhere else.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace uscope::output {

// Appends `text` so that it cannot move the cursor, hide or forge a line: control bytes and the
// backslash as \n \t \r \\ \xNN, and as \xNN each byte of invalid UTF-8, of C1 controls (U+0080 …
// U+009F), of line separators and of the Unicode bidirectional overrides (U+2028 … U+202E, U+2066 …
// U+2069). Other valid UTF-8 stays. The bytes can be told from the result. `raw`: as it is.
// True: it is known to be of printable ASCII, and so to have a column for each byte.
bool append_escaped(std::string &out, std::string_view text, bool raw = false);
std::string escaped(std::string_view text);

// Appends `text` as a JSON string with its quotes. Of what append_escaped() escapes, characters become
// \uNNNN, and each byte of invalid UTF-8 \uefNN, which the ConScript registry gives to this purpose;
// so do the bytes of these characters themselves, so that the bytes can be told from the result.
// (Half a surrogate pair, as Python's "surrogateescape" has it, is refused by strict readers.)
void append_json_string(std::string &out, std::string_view text);

// Fills what was appended since `start` up to `width` columns with blanks, behind it
// (`left`-aligned) or before it. Columns are those of output/columns.h; `is_ascii`: bytes.
void pad(std::string &out, size_t start, size_t width, bool left, bool is_ascii = false);

inline void append(std::string &out, std::string_view text)
{
    out.append(text);
}

// In decimal.
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
