// Parses printf formats.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "output/escape.h"
#include "output/printf.h"

namespace uscope::output {

namespace {

constexpr int max_width = 1024;        // columns or digits
constexpr int max_text = 1024 * 1024;  // %.Ns

class Parser {
  public:
    Parser(std::string_view format, std::string_view source, size_t column)
        : format_(format), source_(source.data() ? source : format), column_(column)
    {
    }

    Result<std::vector<Specifier>> parse()
    {
        std::vector<Specifier> all;
        std::string literal;
        while (at_ < format_.size()) {
            char c = format_[at_];
            if (c == '\\') {
                literal += TRY(escape());
            } else if (c != '%') {
                literal += c;
                at_++;
            } else if (peek(1) == '%') {
                literal += '%';
                at_ += 2;
            } else {
                all.push_back(TRY(specifier()));
                all.back().literal.swap(literal);
            }
        }
        if (!literal.empty())
            all.push_back({.literal = literal});
        return all;
    }

  private:
    char peek(size_t ahead = 0) const
    {
        return at_ + ahead < format_.size() ? format_[at_ + ahead] : 0;
    }

    bool accept(char c)
    {
        if (peek() != c)
            return false;
        at_++;
        return true;
    }

    template <class... Args>
    Failure<> error(size_t at, fmt::format_string<Args...> text, Args &&...args) const
    {
        return fail_at(source_, column_ + at, text, std::forward<Args>(args)...);
    }

    Result<char> escape()
    {
        size_t start = at_++;
        constexpr std::string_view letters = "ntrae\\\"'0";
        constexpr char meanings[] = "\n\t\r\a\033\\\"'";  // the terminator is \0
        if (at_ == format_.size())
            return error(start, "the format ends with a backslash; write \\\\ for one");
        char c = format_[at_++];
        if (size_t known = letters.find(c); known != letters.npos)
            return meanings[known];
        if (c == 'x') {
            std::string_view digits = format_.substr(at_, 2);
            uint8_t byte = 0;
            auto [end, failed] = std::from_chars(digits.begin(), digits.end(), byte, 16);
            if (failed == std::errc() && end == digits.begin() + 2) {
                at_ += 2;
                return static_cast<char>(byte);
            }
        }
        return error(start, R"(unknown escape; use \n \t \r \a \e \0 \\ \" \' or \xNN)");
    }

    // Parses a number up to `max`; returns -1 if there are no digits.
    Result<int> number(int max, std::string_view what)
    {
        size_t start = at_;
        int value = -1;
        for (; peek() >= '0' && peek() <= '9'; at_++) {
            value = std::max(value, 0) * 10 + (peek() - '0');
            if (value > max)
                return error(start, "the {} is too large: at most {}", what, max);
        }
        return value;
    }

    bool flag(Specifier &spec)
    {
        bool *const flags[] = {&spec.left, &spec.zero, &spec.plus, &spec.space, &spec.alternate};
        size_t which = std::string_view("-0+ #").find(peek());
        if (at_ >= format_.size() || which == std::string_view::npos)
            return false;
        *flags[which] = true;
        at_++;
        return true;
    }

    Result<> precision(Specifier &spec)
    {
        if (accept('*')) {
            spec.precision_from_value = true;
        } else {
            spec.precision = std::max(0, TRY(number(max_text, "precision")));
        }
        return {};
    }

    bool size(Specifier &spec)
    {
        // %h and %t alone are conversions.
        bool is_number = strchr("hdiuxXo", peek(1)) && peek(1);
        if (is_number && accept('h'))
            spec.size = accept('h') ? 1 : 2;
        else if (accept('l'))
            spec.size = (accept('l'), 8);
        else if (accept('z') || accept('j') || (is_number && accept('t')))
            spec.size = 8;
        return spec.size != 0;
    }

    Result<Specifier> specifier()
    {
        Specifier spec;
        size_t start = at_++;
        spec.column = column_ + start;
        while (flag(spec))
            ;
        if (peek() == '*')
            return error(at_, "a width cannot come from a value; write a number, as in %16s");
        spec.width = TRY(number(max_width, "width"));
        if (accept('.'))
            TRY(precision(spec));
        size_t size_at = at_;
        bool sized = size(spec);
        char c = peek();
        if (!c)
            return error(start, "the format ends within this conversion; a percent sign is %%");
        if (c == 'n')
            return error(start, "%n is not supported: it would write to memory");
        if (!strchr("diuxXocspfegEKUvht", c))
            return error(
                start,
                "%{} is not a conversion; use %d %i %u %x %X %o %c %s %p %f %e %g %v %E %h %t "
                "%K %U (%% for a percent sign)",
                escaped({&c, 1}));
        bool is_wide_text = c == 's' && spec.size == 8;
        if (sized && !is_wide_text && strchr("cspegEKUvht", c))
            return error(size_at, "%{} takes no size", c);
        if (spec.precision_from_value && c != 's')
            return error(start, "only %s takes its length from a value: %.*s");
        if (spec.precision > max_width && c != 's')
            return error(start, "the precision is too large: at most {}", max_width);
        if (spec.precision >= 0 && strchr("cpEKUvht", c))
            return error(start, "%{} takes no precision", c);
        spec.conversion = c;
        at_++;
        return spec;
    }

    std::string_view format_, source_;
    size_t column_, at_ = 0;
};

}  // namespace

Result<Format> Format::parse(std::string_view format, std::string_view source, size_t column)
{
    Format result;
    result.specifiers_ = TRY(Parser(format, source, column).parse());
    return result;
}

}  // namespace uscope::output
