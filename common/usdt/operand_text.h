// Splits the text with which a USDT note describes all arguments ("-4@%edi 8@16(%rsp)") into
// arguments, and scans the text of one argument.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace uscope::usdt {

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
// An '@' and the text after it belong to the name, because "stdout@GOTPCREL" and "errno@tpoff" do
// not mean the symbols' own addresses.
inline bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c) || c == '$' || c == '@';
}

// Reads a text from its start. Each function skips blanks first.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    bool at_end();
    char next();  // returns the next character, without consuming it; NUL at the end
    bool take(std::string_view word);  // consumes `word`; returns false if other text follows
    std::string_view take_while(bool (*predicate)(char));

  private:
    void skip_blanks();
    std::string_view rest_;
};

// The size before an operand, with its '@': "-4@" (signed), "8f@" (floating-point).
struct SizePrefix {
    bool is_signed = false;
    std::string_view digits;
    bool is_float = false;
    size_t length = 0;  // of the whole prefix with its '@'
};
// Returns the prefix with which `text` starts, or nullopt if it starts with none.
std::optional<SizePrefix> size_prefix(std::string_view text);

// Splits the text of a note into arguments: at blanks, but not inside brackets and after a comma. A
// size prefix after a blank always starts a new argument, so that a missing bracket damages only
// the argument in which it is missing.
std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace uscope::usdt
