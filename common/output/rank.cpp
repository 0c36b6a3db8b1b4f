// Compares texts number by number.
#include "output/rank.h"

namespace uscope::output {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

struct Number {
    bool is_negative;
    std::string_view digits;  // without leading zeros

    std::weak_ordering operator<=>(const Number &other) const
    {
        if (is_negative != other.is_negative)
            return other.is_negative <=> is_negative;
        std::weak_ordering order = digits.size() <=> other.digits.size();
        if (order == 0)
            order = digits <=> other.digits;
        return is_negative ? 0 <=> order : order;
    }
};

// Parses the number at `at`, and moves `at` past it; returns nullopt if there is none. A '-' is a
// sign only after a blank.
std::optional<Number> take_number(std::string_view text, size_t &at)
{
    bool is_negative = text[at] == '-' && at > 0 && text[at - 1] == ' ';
    size_t begin = at + is_negative, end = begin;
    while (end < text.size() && is_digit(text[end]))
        end++;
    if (end == begin)
        return std::nullopt;
    at = end;
    std::string_view digits = text.substr(begin, end - begin);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return Number{is_negative && !digits.empty(), digits};
}

}  // namespace

std::weak_ordering by_numbers(std::string_view a, std::string_view b)
{
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        auto first = take_number(a, i), second = take_number(b, j);
        std::weak_ordering order = second.has_value() <=> first.has_value();
        if (first && second)
            order = *first <=> *second;
        else if (!first && !second)
            order = uint8_t(a[i++]) <=> uint8_t(b[j++]);
        if (order != 0)
            return order;
    }
    return a.size() - i <=> b.size() - j;
}

}  // namespace uscope::output
