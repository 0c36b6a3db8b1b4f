// Applies printf formats to values that have their own type.
//
//     %[flags][width][.precision][size]conversion
//     flags       - left   0 zeros   + and blank: a sign or a blank for it   # 0x, 0
//     precision   .N or, for strings, .* : the value before it is the length
//     size        hh h l ll z j t, as in C
//     conversion  d i  signed      u x X o  unsigned      c  character      p  0x…
//                 s    text        f e g    floating      K U  kernel, user symbol
//                 v    any value   h        4.05 MiB      t    1.23ms       E  ENOENT
//
// In C, the specifier alone gives the size of an argument, and a wrong one is undefined behaviour.
// Here each value knows its size and signedness, so a size is rarely needed: %d of an 8-byte value
// shows all of it. A register is the exception. A function that returns the int -1 leaves
// 0x00000000ffffffff in it, and only the person who wrote %d knows that it is an int. So %d and %i
// of a register take its low 4 bytes (%ld takes all 8).
//
// Example: "%-6s|%5d|%#x" of "ab", the int -1, and 255 is `ab    |   -1|0xff`.

#include "output/printf.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/format.h"
#include "output/amount.h"
#include "output/duration.h"
#include "output/escape.h"

namespace uscope::output {

namespace {

// Appends the sign or prefix, zeros up to the width or the precision, and the digits.
void append_printf_number(std::string &out, const Specifier &spec, std::string_view prefix,
                          std::string_view digits, int precision, bool may_zero_fill)
{
    size_t start = out.size();
    size_t zeros = 0;
    if (precision > static_cast<int>(digits.size()))
        zeros = precision - digits.size();
    else if (precision < 0 && may_zero_fill && spec.zero && !spec.left &&
             spec.width > static_cast<int>(prefix.size() + digits.size()))
        zeros = spec.width - prefix.size() - digits.size();
    append(out, prefix);
    out.append(zeros, '0');
    append(out, digits);
    if (spec.width > 0)
        pad(out, start, spec.width, spec.left);
}

const char *sign_of(const Specifier &spec, bool negative)
{
    return negative ? "-" : spec.plus ? "+" : spec.space ? " " : "";
}

void append_signed(std::string &out, const Specifier &spec, int64_t number)
{
    if (spec.is_plain())
        return append_decimal(out, number);
    uint64_t magnitude = number < 0 ? -static_cast<uint64_t>(number) : number;
    append_printf_number(out, spec, sign_of(spec, number < 0), std::to_string(magnitude),
                         spec.precision, true);
}

void append_unsigned(std::string &out, const Specifier &spec, uint64_t number)
{
    if (spec.conversion != 'x' && spec.conversion != 'X' && spec.conversion != 'o' &&
        spec.conversion != 'p') {
        if (spec.is_plain())
            return append_decimal(out, number);
        return append_printf_number(out, spec, "", std::to_string(number), spec.precision, true);
    }
    char digits[24];
    char *end = digits + sizeof digits, *first = end;
    unsigned shift = spec.conversion == 'o' ? 3 : 4;
    const char *alphabet = spec.conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    for (uint64_t left = number; left || first == end; left >>= shift)
        *--first = alphabet[left & ((1u << shift) - 1)];
    std::string_view prefix;
    if (spec.conversion == 'p')
        prefix = "0x";
    else if (spec.alternate && number)
        prefix = spec.conversion == 'X' ? "0X" : spec.conversion == 'x' ? "0x" : "0";
    append_printf_number(out, spec, prefix, {first, end}, spec.precision, true);
}

void append_float(std::string &out, const Specifier &spec, char conversion, double number,
                  int precision)
{
    std::string digits;
    double magnitude = std::fabs(number);
    if (conversion == 'f')
        append_format(digits, "{:.{}f}", magnitude, precision);
    else if (conversion == 'e')
        append_format(digits, "{:.{}e}", magnitude, precision);
    else
        append_format(digits, "{:.{}g}", magnitude, precision);
    append_printf_number(out, spec, sign_of(spec, std::signbit(number)), digits, -1,
                         std::isfinite(number));
}

int64_t sign_extended(int64_t value, unsigned bytes)
{
    unsigned shift = 64 - bytes * 8;
    return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

uint64_t low_bytes(int64_t value, unsigned bytes)
{
    return bytes >= 8 ? value : value & ((uint64_t{1} << bytes * 8) - 1);
}

// Another conversion with the same width and alignment.
Specifier aligned_as(const Specifier &spec, char conversion)
{
    return {.conversion = conversion, .left = spec.left, .width = spec.width};
}

void append_text(std::string &out, const Specifier &spec, const Value &value, int64_t max,
                 bool raw);

void append_integer(std::string &out, const Specifier &spec, const Value &value, bool raw)
{
    unsigned size = spec.size ? spec.size : value.size;
    switch (spec.conversion) {
    case 'd':
    case 'i':
        if (!spec.size && (value.is_register || size < 4))  // C promotes smaller types to int
            size = 4;
        return append_signed(out, spec, sign_extended(value.integer, size));
    case 'f':
    case 'e':
    case 'g': {
        double number = value.is_signed ? static_cast<double>(value.integer)
                                        : static_cast<double>(static_cast<uint64_t>(value.integer));
        int precision = spec.precision < 0 ? 6 : spec.precision;
        return append_float(out, spec, spec.conversion, number, precision);
    }
    case 'c': {
        size_t start = out.size();
        char c = static_cast<char>(value.integer);
        append_escaped(out, {&c, 1}, raw);
        return pad(out, start, std::max(spec.width, 0), spec.left);
    }
    case 's':
        if (!value.name.empty())
            return append_text(out, spec, {.text = value.name}, -1, raw);
        if (value.is_signed)
            return append_signed(out, aligned_as(spec, 'd'), value.integer);
        return append_unsigned(out, aligned_as(spec, 'u'), value.integer);
    case 'E': {
        // Functions of libraries return errors as positive numbers, the kernel's as negative ones.
        auto number = static_cast<int32_t>(value.integer);
        const char *name = strerrorname_np(number < 0 ? -static_cast<int64_t>(number) : number);
        if (!name || !number)
            return append_signed(out, aligned_as(spec, 'd'), number);
        return append_text(out, spec, {.text = name}, -1, true);
    }
    case 'h':
    case 't': {
        bool is_negative = value.is_signed && value.integer < 0;
        uint64_t magnitude = is_negative ? -uint64_t(value.integer) : value.integer;
        std::string text = is_negative ? "-" : "";
        text += spec.conversion == 'h' ? amount_text(magnitude, "bytes") : duration_text(magnitude);
        return append_text(out, spec, {.text = text}, -1, true);
    }
    case 'p':
    case 'K':
    case 'U':
        return append_unsigned(out, aligned_as(spec, 'p'), value.integer);
    default:
        return append_unsigned(out, spec, low_bytes(value.integer, size));
    }
}

void append_printf_real(std::string &out, const Specifier &spec, double real)
{
    switch (spec.conversion) {
    case 'f':
    case 'e':
    case 'g':
        return append_float(out, spec, spec.conversion, real,
                            spec.precision < 0 ? 6 : spec.precision);
    case 's':
        return append_float(out, spec, 'g', real, 6);
    default:  // an integer conversion: drop the fraction
        return append_float(out, spec, 'f', std::trunc(real), 0);
    }
}

// `most`: append at most this many bytes; -1: all.
void append_text(std::string &out, const Specifier &spec, const Value &value, int64_t max, bool raw)
{
    size_t start = out.size();
    bool cut = max >= 0 && static_cast<uint64_t>(max) < value.text.size();
    append_escaped(out, cut ? value.text.substr(0, max) : value.text, raw);
    if (value.truncated && !cut)
        append(out, "...");
    if (spec.width > 0)
        pad(out, start, spec.width, spec.left);
}

// The reason why there is no value. EDOM stands for a division by zero, because no read fails with
// that error.
const char *why_none(const Value &value)
{
    return value.error == EDOM ? "division by zero" : strerror(value.error);
}

// "47 72 61"
void append_bytes(std::string &out, const Specifier &spec, const Value &value)
{
    std::string text;
    for (uint8_t byte : value.text)
        text += fmt::format(fmt::runtime(spec.conversion == 'X' ? "{}{:02X}" : "{}{:02x}"),
                            text.empty() ? "" : " ", byte);
    append_text(out, spec, {.text = text, .truncated = value.truncated}, -1, true);
}

void append_specified(std::string &out, const Specifier &spec, const Value &value, int64_t max,
                      bool raw)
{
    if (spec.conversion == 'v') {
        size_t start = out.size();
        append_value(out, value, raw);
        return pad(out, start, std::max(spec.width, 0), spec.left);
    }
    switch (value.kind) {
    case Value::Kind::Integer:
        return append_integer(out, spec, value, raw);
    case Value::Kind::Float:
        return append_printf_real(out, spec, value.real);
    case Value::Kind::Text:
        if (spec.conversion == 'x' || spec.conversion == 'X')
            return append_bytes(out, spec, value);
        return append_text(out, spec, value, max, raw);
    case Value::Kind::Whole:
        return append_text(out, spec, {.text = value.text}, -1, true);
    case Value::Kind::Unreadable: {
        if (value.error == null_pointer)
            return append_text(out, spec, {.text = "NULL"}, -1, true);
        std::string text = value.error == EDOM ? fmt::format("<{}>", why_none(value))
                                               : fmt::format("<unreadable: {}>", why_none(value));
        return append_text(out, spec, {.text = text}, -1, true);
    }
    case Value::Kind::Unknown:
        if (value.text.empty())
            return append_text(out, spec, {.text = "?"}, -1, true);
        return append_text(out, spec, {.text = fmt::format("<{}>", value.text)}, -1, false);
    }
}

void append_json_error(std::string &out, std::string_view why)
{
    append(out, R"({"error":)");
    append_json_string(out, why);
    out.push_back('}');
}

}  // namespace

size_t Format::values() const
{
    size_t count = 0;
    for (const Specifier &spec : specifiers_)
        count += (spec.conversion != 0) + spec.precision_from_value;
    return count;
}

void Format::apply(const Value *values, std::string &out, bool raw) const
{
    for (const Specifier &spec : specifiers_) {
        append(out, spec.literal);
        if (!spec.conversion)
            continue;
        int64_t max = spec.precision;
        if (spec.precision_from_value) {
            const Value &length = *values++;
            max = length.kind == Value::Kind::Integer ? length.integer : -1;
        }
        append_specified(out, spec, *values++, max, raw);
    }
}

namespace {

void append_plain_integer(std::string &out, const Value &value)
{
    constexpr uint64_t longest_decimal = uint64_t{1} << 40;  // above: rather an address or flags
    auto bits = static_cast<uint64_t>(value.integer);
    if (!value.name.empty())
        return append(out, value.name);
    switch (value.look) {
    case Value::Look::Address:
        return append_format(out, "{:#x}", bits);
    case Value::Look::Truth:
        if (bits <= 1)
            return append(out, bits ? "true" : "false");
        break;
    case Value::Look::Character: {
        char c = static_cast<char>(bits);
        out.push_back('\'');
        append_escaped(out, {&c, 1}, false);
        return out.push_back('\'');
    }
    case Value::Look::Number:
    case Value::Look::Name:
        break;
    }
    // An int is in the low half of its register; the other half means nothing.
    if (value.is_register && (bits >> 32 == 0 || bits >> 31 == 0x1ffffffff))
        return append_decimal(out, static_cast<int64_t>(static_cast<int32_t>(bits)));
    if (value.is_register || (!value.is_signed && bits >= longest_decimal))
        return append_format(out, "{:#x}", bits);
    if (value.is_signed)
        return append_decimal(out, value.integer);
    append_decimal(out, bits);
}

}  // namespace

void append_value(std::string &out, const Value &value, bool raw)
{
    if (value.kind == Value::Kind::Integer)
        return append_plain_integer(out, value);
    if (value.kind != Value::Kind::Text)
        return append_specified(out, {.conversion = 's'}, value, -1, raw);
    out.push_back('"');
    for (std::string_view text = value.text;;) {
        size_t quote = text.find('"');
        append_escaped(out, text.substr(0, quote), raw);
        if (quote == text.npos)
            break;
        append(out, "\\\"");
        text.remove_prefix(quote + 1);
    }
    out.push_back('"');
    if (value.truncated)
        append(out, "...");
}

void append_json_value(std::string &out, const Value &value)
{
    switch (value.kind) {
    case Value::Kind::Integer: {
        if (value.look == Value::Look::Name)
            return append_json_string(out, value.name);
        if (value.is_signed)
            return append_decimal(out, value.integer);
        return append_decimal(out, static_cast<uint64_t>(value.integer));
    }
    case Value::Kind::Float:
        if (!std::isfinite(value.real))
            return append(out, "null");
        if (value.size == 4)
            append_format(out, "{}", static_cast<float>(value.real));
        else
            append_format(out, "{}", value.real);
        return;
    case Value::Kind::Whole:
        return append(out, value.json);
    case Value::Kind::Text:
        if (!value.truncated)
            return append_json_string(out, value.text);
        append(out, R"({"text":)");
        append_json_string(out, value.text);
        append(out, R"(,"truncated":true)");
        if (value.full_length)
            append_format(out, R"(,"length":{})", value.full_length);
        return out.push_back('}');
    case Value::Kind::Unreadable:
        if (value.error == null_pointer)
            return append(out, "null");
        return append_json_error(out, why_none(value));
    case Value::Kind::Unknown:
        return value.text.empty() ? append(out, "null") : append_json_error(out, value.text);
    }
}

}  // namespace uscope::output
