// Splits the argument text of a USDT note into arguments, and reads the text of one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::usdt {

inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}
inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
inline bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}
inline bool is_number_part(char c)
{
    return is_digit(c) || is_letter(c);
}
inline bool is_name_start(char c)
{
    return is_letter(c) || c == '_' || c == '.';
}
// The text after an '@' belongs to the name: "stdout@GOTPCREL" and "errno@tpoff" are not the plain
// symbol.
inline bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c) || c == '$' || c == '@';
}

// Reads a text from its front and skips blanks.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    bool at_end();
    char next();  // does not consume it; NUL at the end
    bool take(std::string_view word);
    std::string_view take_while(bool (*predicate)(char));

  private:
    void skip_blanks();
    std::string_view rest_;
};

// The "-4@", "8f@" before an operand.
struct SizePrefix {
    bool is_signed = false;
    std::string_view digits;
    bool is_float = false;
    size_t length = 0;  // of the whole prefix with its '@'
};
std::optional<SizePrefix> size_prefix(std::string_view text);

// Splits at blanks, except inside brackets and after a comma. A size prefix always starts an
// argument, so that an unbalanced bracket spoils only its own argument.
std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace uscope::usdt
