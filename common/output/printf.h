// The user's printf format: parsed once, applied to every event. printf.cpp describes the language.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::output {

constexpr int null_pointer = ENXIO;  // no read fails with this error

// One value of an event, ready to be shown.
struct Value {
    enum class Kind : uint8_t {
        Integer,
        Float,
        Text,
        Whole,  // a structure or array: `text` and `json` show it
        Unreadable,
        Unknown,
    };
    // Integer: how it is shown if no format says it. Name: by `name`, also in JSON.
    enum class Look : uint8_t { Number, Address, Character, Truth, Name };
    Kind kind = Kind::Unknown;
    int64_t integer = 0;  // sign-extended when is_signed, else zero-extended
    bool is_signed = false;
    bool is_register = false;  // Integer: a whole register of unknown type (arg1, retval)
    Look look = Look::Number;
    std::string_view name = {};  // Integer: the enumerator that has this value; "": unknown
    uint8_t size = 8;            // bytes of its type: Integer 1, 2, 4, 8; Float 4, 8
    double real = 0;
    // Text: raw bytes. Whole: {x=1, y="a"}, escaped. Unknown: the reason, or "".
    std::string_view text = {};
    std::string_view json = {};  // Whole: {"x":1,"y":"a"}
    bool truncated = false;      // Text: `text` is only its start
    uint64_t full_length = 0;    // Text, truncated: its full length, or 0 if unknown
    // Unreadable: errno; EDOM: a division by zero; null_pointer: the address of a text is 0.
    int error = 0;
};

struct Specifier {
    // d i u x X o c s p f e g; E: the name of an error number, ENOENT; K and U: an address, shown
    // as a symbol of the kernel or of the program; v: as append_value() does; h: bytes, as
    // 4.05 MiB; t: nanoseconds, as 1.23ms. 0: there is only the literal.
    char conversion = 0;
    bool left = false, zero = false, plus = false, space = false, alternate = false;
    int width = -1, precision = -1;
    bool precision_from_value = false;  // %.*s: the value before it is the length
    uint8_t size = 0;                   // bytes: hh 1, h 2, l ll z j t 8; 0: the value's own size
    std::string literal = {};           // the text before the specifier, unescaped
    size_t column = 0;                  // the position of the %

    // No width, precision or sign is given, so a number needs only its digits.
    bool is_plain() const { return width < 0 && precision < 0 && !plus && !space; }
};

class Format {
  public:
    // Parses "text %-16s %d%%", with the escapes \n \t \r \a \e \" \\ \0 \xNN. Errors show
    // `source` with a caret below the wrong part: the format starts at byte `column` of `source`.
    // Without a source, they show the format itself.
    static Result<Format> parse(std::string_view format, std::string_view source = {},
                                size_t column = 0);

    const std::vector<Specifier> &specifiers() const { return specifiers_; }
    size_t values() const;  // how many values it consumes: %.*s takes two

    // Appends the text of an event; `values` must have values() elements, and symbols (%K, %U) must
    // already be Text. A number has the signedness and the size that the specifier gives, otherwise
    // its own: %u and %x of a signed 4-byte value show 4 bytes. %d of a register shows a C int.
    // Text is escaped unless `raw`, and ends in "..." if it is truncated. An unreadable value is
    // shown as `<unreadable: Bad address>`, `NULL` or `<division by zero>`, an unknown one as
    // `<reason>` or `?`. Numbers are converted to the conversion's kind; other values that do not
    // match it are shown in their own form.
    void apply(const Value *values, std::string &out, bool raw = false) const;

  private:
    std::vector<Specifier> specifiers_;  // the last one may have only a literal
};

// Appends the value as C would write it: 42, 0x7f00, 'c', true, RED, "text", 0.5. A register of an
// unknown type that holds no int, and a large 8-byte number, is shown in hex. Unreadable and
// unknown values are shown as Format::apply() does. `raw`: text is not escaped.
void append_value(std::string &out, const Value &value, bool raw = false);

// Appends the value as JSON: 42, -1, 0.5, "text". A truncated text becomes
// {"text":"abc","truncated":true,"length":4096}, without "length" if that is unknown. An unreadable
// value, or an unknown one with a reason, becomes {"error":"Bad address"}; other unknown values,
// NaN and infinite floats become null. 64-bit integers keep all digits, even above 2^53.
void append_json_value(std::string &out, const Value &value);

}  // namespace uscope::output
