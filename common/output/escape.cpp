// Escapes what is dangerous in a foreign string.
//
// A terminal executes the control sequences that are printed to it: ESC ] 0 ; … BEL sets the
// window's title, ESC [ 2 J clears the screen, and a carriage return overwrites the line. In some
// terminals, C1 controls do the same (U+009B is ESC [ in one character). Bidirectional overrides
// reorder the visible text. So every string of a traced program goes through here: "red \033[31m"
// is printed as `red \x1b[31m`.
//
// Nearly all strings are plain ASCII, so the loops test eight bytes at a time and copy whole runs.

#include "output/escape.h"

#include <cstring>

#include "base/text.h"
#include "output/columns.h"

namespace uscope::output {

namespace {

// Sets the high bit of each zero byte of `word`; bits above the first such byte may be wrong.
constexpr uint64_t zero_bytes(uint64_t word)
{
    return (word - each_byte(0x01)) & ~word & each_byte(0x80);
}

constexpr bool is_plain(uint8_t byte, bool json)
{
    return byte >= 0x20 && byte < 0x7f && byte != '\\' && !(json && byte == '"');
}

// The number of bytes at the start that are printable ASCII and need no escape.
template <bool json>
size_t plain_prefix(std::string_view text)
{
    size_t at = 0;
    for (; text.size() - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.data() + at, 8);
        uint64_t special =
            (word - each_byte(0x20)) | word;  // high bit: < 0x20 borrows, > 0x7f has it set
        special |= zero_bytes(word ^ each_byte('\\')) | zero_bytes(word ^ each_byte(0x7f));
        if (json)
            special |= zero_bytes(word ^ each_byte('"'));
        if (special & each_byte(0x80))
            break;
    }
    while (at < text.size() && is_plain(text[at], json))
        at++;
    return at;
}

struct Character {
    size_t length;  // bytes; 0: invalid UTF-8
    uint32_t code;
};

// Decodes the first character of a non-empty text, by the Unicode standard's table 3-7: overlong
// forms, surrogates and code points above U+10FFFF are invalid.
Character decode(std::string_view text)
{
    uint8_t first = text[0];
    if (first < 0x80)
        return {1, first};
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return {0, 0};
    uint32_t code = first & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        uint8_t byte = text[i];
        if ((byte & 0xc0) != 0x80)
            return {0, 0};
        code = code << 6 | (byte & 0x3f);
    }
    constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return {0, 0};
    return {length, code};
}

// In JSON, an invalid byte 0x80 … 0xff becomes the code point byte_base + byte.
constexpr uint32_t byte_base = 0xef00;

bool is_byte(uint32_t code)
{
    return code >= byte_base + 0x80 && code <= byte_base + 0xff;
}

bool is_dangerous(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

constexpr char hex_digits[] = "0123456789abcdef";

void append_hex_byte(std::string &out, uint8_t byte)
{
    const char text[] = {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
    out.append(text, text + sizeof text);
}

void append_hex_unit(std::string &out, uint32_t unit)
{
    const char text[] = {'\\',
                         'u',
                         hex_digits[unit >> 12],
                         hex_digits[unit >> 8 & 15],
                         hex_digits[unit >> 4 & 15],
                         hex_digits[unit & 15]};
    out.append(text, text + sizeof text);
}

// The letter after the backslash, or 0 if there is no short escape.
template <bool json>
char short_escape(uint32_t code)
{
    switch (code) {
    case '\n':
        return 'n';
    case '\t':
        return 't';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    case '"':
        return json ? '"' : 0;
    default:
        return 0;
    }
}

// Returns true if all of the text was plain: printable ASCII without escapes.
template <bool json>
bool append_safe(std::string &out, std::string_view text)
{
    for (bool is_plain = true;; is_plain = false) {
        size_t plain = plain_prefix<json>(text);
        append(out, text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty())
            return is_plain;
        Character c = decode(text);
        if (json && is_byte(c.code))
            c = {0, 0};
        size_t length = c.length ? c.length : 1;
        uint32_t code = c.length ? c.code : static_cast<uint8_t>(text[0]);
        if (char letter = short_escape<json>(code)) {
            out.push_back('\\');
            out.push_back(letter);
        } else if (c.length && !is_dangerous(code)) {
            append(out, text.substr(0, length));
        } else if (json) {
            // The dangerous code points fit in 16 bits.
            append_hex_unit(out, c.length ? code : byte_base + code);
        } else {
            for (char byte : text.substr(0, length))
                append_hex_byte(out, byte);
        }
        text.remove_prefix(length);
    }
}

}  // namespace

bool append_escaped(std::string &out, std::string_view text, bool raw)
{
    if (!raw)
        return append_safe<false>(out, text);
    append(out, text);
    return false;
}

std::string escaped(std::string_view text)
{
    std::string out;
    append_escaped(out, text);
    return out;
}

std::string unescaped(std::string_view text)
{
    constexpr std::string_view letters = "ntr\\", bytes = "\n\t\r\\";
    constexpr size_t hex_length = 4;  // of \xNN
    std::string original;
    while (!text.empty()) {
        size_t length = 1;
        char byte = text[0];
        auto letter = text[0] == '\\' && text.size() > 1 ? letters.find(text[1]) : letters.npos;
        if (letter != letters.npos) {
            byte = bytes[letter];
            length = 2;
        } else if (text.starts_with("\\x") && text.size() >= hex_length) {
            if (auto code = parse_number(fmt::format("0x{}", text.substr(2, 2)))) {
                byte = char(*code);
                length = hex_length;
            }
        }
        original.push_back(byte);
        text.remove_prefix(length);
    }
    return original;
}

void append_json_string(std::string &out, std::string_view text)
{
    out.push_back('"');
    append_safe<true>(out, text);
    out.push_back('"');
}

void append_valid_utf8(std::string &out, std::string_view text)
{
    while (!text.empty()) {
        size_t plain = plain_prefix<false>(text);
        append(out, text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty())
            return;
        Character c = decode(text);
        size_t length = c.length && !is_byte(c.code) ? c.length : 1;
        if (c.length && !is_byte(c.code))
            append(out, text.substr(0, length));
        else
            append_utf8(out, byte_base + static_cast<uint8_t>(text[0]));
        text.remove_prefix(length);
    }
}

void pad(std::string &out, size_t start, size_t width, bool left, bool is_ascii)
{
    size_t size = out.size() - start;
    if (size >= width * 4)  // no character has more bytes
        return;
    size_t used = is_ascii ? size : columns({out.data() + start, size});
    if (used >= width)
        return;
    out.insert(left ? out.size() : start, width - used, ' ');
}

}  // namespace uscope::output
