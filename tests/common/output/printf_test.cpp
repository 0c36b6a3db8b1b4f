#include "output/printf.h"
#include "base/format.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

using namespace uscope::output;

namespace {

Value number(int64_t integer, uint8_t size = 8, bool is_signed = true)
{
    return {.kind = Value::Kind::Integer, .integer = integer, .is_signed = is_signed, .size = size};
}

Value untyped(int64_t integer)
{
    return {.kind = Value::Kind::Integer, .integer = integer, .is_register = true};
}

Value real(double value, uint8_t size = 8)
{
    return {.kind = Value::Kind::Float, .size = size, .real = value};
}

Value printf_text(std::string_view text)
{
    return {.kind = Value::Kind::Text, .text = text};
}

const Value unknown = {};
const Value unreadable = {.kind = Value::Kind::Unreadable, .error = EFAULT};
const Value by_zero = {.kind = Value::Kind::Unreadable, .error = EDOM};

std::string show(std::string_view format, std::vector<Value> values = {})
{
    auto parsed = Format::parse(format);
    if (!parsed)
        return "error: " + parsed.error().text;
    EXPECT_EQ(parsed->values(), values.size()) << format;
    values.resize(parsed->values());
    std::string out;
    parsed->apply(values.data(), out);
    return out;
}

std::string printf_json(const Value &value)
{
    std::string out;
    append_json_value(out, value);
    return out;
}

// Returns the error of an invalid format, as "column: message".
std::string error(std::string_view format)
{
    auto parsed = Format::parse(format);
    return parsed ? "accepted" : fmt::format("{}: {}", parsed.error().column, parsed.error().text);
}

}  // namespace

TEST(Printf, MixesTextAndValues)
{
    EXPECT_EQ(show("%s %s (from %s:%d)",
                   {printf_text("GET"), printf_text("/"), printf_text("::1"), number(80, 4)}),
              "GET / (from ::1:80)");
}

TEST(Printf, AdjacentSpecifiersAreTwo)
{
    EXPECT_EQ(show("%s%d", {printf_text("a"), number(1)}), "a1");
}

TEST(Printf, PercentSignAndEscapes)
{
    EXPECT_EQ(show(R"(100%%\t\x41\"\\\n)"), "100%\tA\"\\\n");
    EXPECT_EQ(show(R"(a\0b)"), std::string("a\0b", 3));
}

// Compares with C's printf for the same values.
TEST(Printf, IntegersAsInC)
{
    for (const char *format :
         {"%d",    "%5d",    "%-5d|",   "%05d", "%+d",  "% d",  "%.3d", "%8.3d", "%-8.3d|",
          "%+06d", "%i",     "%u",      "%x",   "%X",   "%#x",  "%#X",  "%o",    "%#o",
          "%08x",  "%#010x", "%-#10x|", "%.5x", "%hhd", "%hhu", "%hx",  "%hd"}) {
        for (int value : {0, 1, -1, 42, -42, 255, 70000, std::numeric_limits<int>::min()}) {
            char want[64];
            snprintf(want, sizeof want, format, value);
            EXPECT_EQ(show(format, {number(value, 4)}), want) << format << " of " << value;
        }
    }
}

TEST(Printf, LongIntegersAsInC)
{
    for (const char *format : {"%ld", "%lu", "%lx", "%lld", "%zu", "%jd", "%td", "%#lo"}) {
        for (long value : {0L, -1L, std::numeric_limits<long>::min(), 1L << 40}) {
            char want[64];
            snprintf(want, sizeof want, format, value);
            EXPECT_EQ(show(format, {number(value)}), want) << format << " of " << value;
        }
    }
}

TEST(Printf, TheValueHasTheSizeUnlessTheSpecifierSays)
{
    EXPECT_EQ(show("%d", {number(1L << 40)}), "1099511627776");
    EXPECT_EQ(show("%u", {number(-1, 2)}), "65535");
    EXPECT_EQ(show("%x", {number(-1, 1)}), "ff");
    EXPECT_EQ(show("%d", {number(0xffffffff, 4, false)}), "-1");
    EXPECT_EQ(show("%lx", {number(-1, 4)}), "ffffffffffffffff");
}

TEST(Printf, PlainDOfARegisterIsAnInt)
{
    EXPECT_EQ(show("%d", {untyped(0xffffffff)}), "-1");
    EXPECT_EQ(show("%i", {untyped(0xabcd00000007)}), "7");
    EXPECT_EQ(show("%ld", {untyped(0xffffffff)}), "4294967295");
    EXPECT_EQ(show("%x", {untyped(0xffffffff1)}), "ffffffff1");
}

TEST(Printf, Pointers)
{
    EXPECT_EQ(show("%p", {number(0x7fff0010, 8, false)}), "0x7fff0010");
    EXPECT_EQ(show("%p", {number(0)}), "0x0");
    EXPECT_EQ(show("%12p|%-6p|", {number(16), number(16)}), "        0x10|0x10  |");
}

TEST(Printf, FloatsAsInC)
{
    for (const char *format : {"%f", "%.2f", "%8.3f", "%-8.1f|", "%08.2f", "%+f", "% .0f", "%e",
                               "%.3e", "%g", "%.10g"}) {
        for (double value :
             {0.0, 1.5, -2.25, 1e100, 1e-7, 123456789.0, std::numeric_limits<double>::infinity()}) {
            char want[512];
            snprintf(want, sizeof want, format, value);
            EXPECT_EQ(show(format, {real(value)}), want) << format << " of " << value;
        }
    }
}

TEST(Printf, ValuesThatDoNotSuitTheConversionAreShownAsTheyAre)
{
    EXPECT_EQ(show("%s", {number(-7)}), "-7");
    EXPECT_EQ(show("%.5s", {number(-1, 8, false)}), "18446744073709551615");
    EXPECT_EQ(show("%s", {real(0.5)}), "0.5");
    EXPECT_EQ(show("%d", {printf_text("abc")}), "abc");
    EXPECT_EQ(show("%d", {real(-2.9)}), "-2");
    EXPECT_EQ(show("%.1f", {number(3)}), "3.0");
    EXPECT_EQ(show("%f", {number(-1, 8, false)}), "18446744073709551616.000000");
    EXPECT_EQ(show("%d", {real(NAN)}), "nan");
    EXPECT_EQ(show("%K", {number(16)}), "0x10");
}

TEST(Printf, Characters)
{
    EXPECT_EQ(show("%c%c|%3c|%-3c|", {number('a'), number(0), number('b'), number('c')}),
              "a\\x00|  b|c  |");
}

TEST(Printf, WidthAndPrecisionOfText)
{
    EXPECT_EQ(show("%-6s|%6s|%.2s|%6.2s|", {printf_text("abc"), printf_text("abc"),
                                            printf_text("abc"), printf_text("abc")}),
              "abc   |   abc|ab|    ab|");
}

TEST(Printf, LengthFromTheValueBefore)
{
    EXPECT_EQ(show("%.*s|", {number(3), printf_text("abcdef")}), "abc|");
    EXPECT_EQ(show("%5.*s|", {number(0), printf_text("abcdef")}), "     |");
    EXPECT_EQ(show("%.*s|", {number(-1), printf_text("abcdef")}), "abcdef|");  // no limit, as in C
    EXPECT_EQ(show("%.*s|", {unreadable, printf_text("abcdef")}), "abcdef|");
}

TEST(Printf, TruncatedTextSaysSo)
{
    Value cut = printf_text("abcdef");
    cut.truncated = true;
    EXPECT_EQ(show("%s", {cut}), "abcdef...");
    EXPECT_EQ(show("%.3s", {cut}), "abc");  // no "...": the precision cuts it
}

TEST(Printf, UnreadableAndUnknown)
{
    EXPECT_EQ(show("%s|%d", {unreadable, unreadable}),
              "<unreadable: Bad address>|<unreadable: Bad address>");
    EXPECT_EQ(show("%s|%d", {by_zero, by_zero}), "<division by zero>|<division by zero>");
    EXPECT_EQ(show("%s|%3d|", {unknown, unknown}), "?|  ?|");
}

TEST(Printf, TextIsEscapedUnlessRaw)
{
    EXPECT_EQ(show("\033%s", {printf_text("\033[31m")}), "\033\\x1b[31m");
    std::string out;
    Value value = printf_text("\033[31m");
    Format::parse("%s").value().apply(&value, out, true);
    EXPECT_EQ(out, "\033[31m");
}

TEST(Printf, NamesErrors)
{
    EXPECT_EQ(show("%E|%E|%8E|%-8E|", {number(2), number(-13), number(2), number(2)}),
              "ENOENT|EACCES|  ENOENT|ENOENT  |");
    EXPECT_EQ(show("%E %E", {number(0), number(99999)}), "0 99999");
}

TEST(Printf, ShowsAmountsForPeople)
{
    Value bytes = {.kind = Value::Kind::Integer, .integer = 4246732};
    Value time = {.kind = Value::Kind::Integer, .integer = 1230000};
    EXPECT_EQ(show("%h|%10h|%t|%hd", {bytes, bytes, time, time}),
              "4.05 MiB|  4.05 MiB|1.23ms|-15184");
    Value negative = {.kind = Value::Kind::Integer, .integer = -5, .is_signed = true};
    EXPECT_EQ(show("%h %t", {negative, negative}), "-5 bytes -5ns");
}

TEST(Printf, ShowsWholeValuesAndNullPointers)
{
    Value whole = {.kind = Value::Kind::Whole, .text = "{x=1}", .json = "{\"x\":1}"};
    Value null = {.kind = Value::Kind::Unreadable, .error = null_pointer};
    Value text = {.kind = Value::Kind::Text, .text = "a\"b"};
    EXPECT_EQ(show("%v|%s|%8v|%v|%v", {whole, whole, whole, null, text}),
              "{x=1}|{x=1}|   {x=1}|NULL|\"a\\\"b\"");
    std::string json;
    append_json_value(json, whole);
    append_json_value(json, null);
    EXPECT_EQ(json, "{\"x\":1}null");
}

TEST(Printf, WritesValuesAsCDoes)
{
    auto written = [](Value value) {
        std::string out;
        append_value(out, value);
        return out;
    };
    using Look = Value::Look;
    Value named = number(-5);
    EXPECT_EQ(written(named), "-5");
    named.name = "RED";
    EXPECT_EQ(written(named), "RED");
    auto as = [&](Look look, int64_t value) {
        return written({.kind = Value::Kind::Integer, .integer = value, .look = look});
    };
    EXPECT_EQ(as(Look::Address, 0x7f00), "0x7f00");
    EXPECT_EQ(as(Look::Character, 'x'), "'x'");
    EXPECT_EQ(as(Look::Character, '\n'), R"('\n')");
    EXPECT_EQ(as(Look::Truth, 1) + as(Look::Truth, 0) + as(Look::Truth, 7), "truefalse7");
    EXPECT_EQ(as(Look::Number, int64_t{1} << 39), "549755813888");
    EXPECT_EQ(as(Look::Number, int64_t{1} << 40), "0x10000000000");
    Value word = {.kind = Value::Kind::Integer, .integer = 0xffffffff, .is_register = true};
    EXPECT_EQ(written(word), "-1");
    word.integer = 0x7f0012345678;
    EXPECT_EQ(written(word), "0x7f0012345678");
    Value text = {.kind = Value::Kind::Text, .text = "a\"b\n", .truncated = true};
    EXPECT_EQ(written(text), R"("a\"b\n"...)");
    EXPECT_EQ(written({.kind = Value::Kind::Float, .real = 0.5}), "0.5");
    EXPECT_EQ(written({.text = "why"}), "<why>");
}

TEST(Printf, ErrorsPointAtTheSpecifier)
{
    EXPECT_EQ(error("%d %q").substr(0, 26), "3: %q is not a conversion;");
    EXPECT_EQ(error("ab%n"), "2: %n is not supported: it would write to memory");
    EXPECT_EQ(error("%lp"), "1: %p takes no size");
    EXPECT_EQ(error("%ls"), "accepted");  // wide characters
    EXPECT_EQ(error("%*d").substr(0, 33), "1: a width cannot come from a val");
    EXPECT_EQ(error("%.*d").substr(0, 29), "0: only %s takes its length f");
    EXPECT_EQ(error("x %-5").substr(0, 18), "2: the format ends");
    EXPECT_EQ(error("%5000d"), "1: the width is too large: at most 1024");
    EXPECT_EQ(error("%.5000d"), "0: the precision is too large: at most 1024");
    EXPECT_EQ(error("%.3c"), "0: %c takes no precision");
    EXPECT_EQ(error(R"(a\q)").substr(0, 17), "1: unknown escape");
    EXPECT_EQ(error(R"(\x4)").substr(0, 17), "0: unknown escape");
    EXPECT_EQ(error("a\\"), R"(1: the format ends with a backslash; write \\ for one)");
    EXPECT_EQ(error("%\033"),
              R"(0: %\x1b is not a conversion; use %d %i %u %x %X %o %c %s %p %f %e %g )"
              R"(%v %E %h %t %K %U (%% for a percent sign))");
}

TEST(Printf, ErrorsCountFromTheWholeSource)
{
    std::string_view source = R"(c:open "%q")";
    auto parsed = Format::parse("%q", source, 8);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().source, source);
    EXPECT_EQ(parsed.error().column, 8u);
}

TEST(JsonValue, Numbers)
{
    EXPECT_EQ(printf_json(number(-1)), "-1");
    EXPECT_EQ(printf_json(number(-1, 8, false)), "18446744073709551615");
    EXPECT_EQ(printf_json(real(0.1)), "0.1");
    EXPECT_EQ(printf_json(real(0.1f, 4)), "0.1");
    EXPECT_EQ(printf_json(real(NAN)), "null");
    EXPECT_EQ(printf_json(unknown), "null");
}

TEST(JsonValue, TextThatIsWholeCutOrUnreadable)
{
    EXPECT_EQ(printf_json(printf_text("a\"b")), R"("a\"b")");
    Value cut = printf_text("abc");
    cut.truncated = true;
    EXPECT_EQ(printf_json(cut), R"({"text":"abc","truncated":true})");
    cut.full_length = 4096;
    EXPECT_EQ(printf_json(cut), R"({"text":"abc","truncated":true,"length":4096})");
    EXPECT_EQ(printf_json(unreadable), R"({"error":"Bad address"})");
    EXPECT_EQ(printf_json(by_zero), R"({"error":"division by zero"})");
}
