// The user's printf format: parsed once, applied to every event.
//
// (The implementation file opens with what is accepted and what it means.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::output {

// One value of an event, ready to be shown.
struct Value {
    enum class Kind : uint8_t { Integer, Float, Text, Unreadable, Unknown };
    Kind kind = Kind::Unknown;
    int64_t integer = 0;  // sign-extended when is_signed, else zero-extended
    bool is_signed = false;
    bool is_register = false;  // Integer: a whole register whose type nobody knows (arg1, retval)
    uint8_t size = 8;          // bytes of its type: Integer 1, 2, 4, 8; Float 4, 8
    double real = 0;
    std::string_view text = {};  // Text: raw bytes; Unknown: why it is, if that is known
    bool truncated = false;      // Text: there was more than `text`
    uint64_t full_length = 0;    // Text, truncated: its true length when known, else 0
    int error = 0;               // Unreadable: errno; EDOM: no value, after a division by zero
};

struct Specifier {
    // d i u x X o c s p f e g, K and U (an address as kernel or user symbol); 0: literal only.
    char conversion = 0;
    bool left = false, zero = false, plus = false, space = false, alternate = false;
    int width = -1, precision = -1;
    bool precision_from_value = false;  // %.*s: the value before gives the length
    uint8_t size = 0;                   // hh 1, h 2, l ll z j t 8; 0: as the value
    std::string literal = {};           // unescaped text before it
    size_t column = 0;                  // of the %

    // Nothing is said of how a number is laid out.
    bool is_plain() const { return width < 0 && precision < 0 && !plus && !space; }
};

class Format {
  public:
    // Parses "text %-16s %d%%"; escapes \n \t \r \a \e \" \\ \0 \xNN are undone. `source`/`column`
    // place the carets: the format's first byte is at `column` of `source` (without a source: of
    // the format itself).
    static Result<Format> parse(std::string_view format, std::string_view source = {},
                                size_t column = 0);

    const std::vector<Specifier> &specifiers() const { return specifiers_; }
    size_t values() const;  // how many it consumes (%.*s two)

    // Appends the text; `values` has values() of them. Signedness and size of what is shown come
    // from the specifier where it says so (%u %x of a signed 4-byte value shows 4 bytes), else from
    // the value; %d of a register shows a C int. Text is escaped unless `raw`; truncated text ends
    // in "..."; what is unreadable is `<unreadable: Bad address>` or `<division by zero>`;
    // what is unknown is `<why>`, or `?`. A value that does not suit its conversion is shown as what it is. Symbols
    // (%K, %U) must already be Text.
    void apply(const Value *values, std::string &out, bool raw = false) const;

  private:
    std::vector<Specifier> specifiers_;  // the last one may be only literal
};

// A value for programs: 42, -1, 0.5, "text"; a truncated text
// {"text":"abc","truncated":true,"length":4096} (without length when that is not known); an
// unreadable one {"error":"Bad address"}, and so an unknown one that says why; other unknown ones, and
// not-a-number or infinite floats: null.
// 64-bit integers are written whole, also above 2^53.
void append_json_value(std::string &out, const Value &value);

}  // namespace uscope::output
