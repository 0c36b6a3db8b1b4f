// Scans the text of USDT arguments.
#include "usdt/operand_text.h"

#include "base/text.h"

namespace uscope::usdt {

bool Cursor::at_end()
{
    skip_blanks();
    return rest_.empty();
}

char Cursor::next()
{
    skip_blanks();
    return rest_.empty() ? '\0' : rest_[0];
}

bool Cursor::take(std::string_view word)
{
    skip_blanks();
    if (!rest_.starts_with(word))
        return false;
    rest_.remove_prefix(word.size());
    return true;
}

std::string_view Cursor::take_while(bool (*predicate)(char))
{
    skip_blanks();
    size_t n = 0;
    while (n < rest_.size() && predicate(rest_[n]))
        ++n;
    std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
}

void Cursor::skip_blanks()
{
    while (!rest_.empty() && is_blank(rest_[0]))
        rest_.remove_prefix(1);
}

std::optional<SizePrefix> size_prefix(std::string_view text)
{
    SizePrefix prefix;
    size_t at = 0;
    prefix.is_signed = text.starts_with('-');
    at += prefix.is_signed;
    size_t first = at;
    while (at < text.size() && is_digit(text[at]))
        ++at;
    prefix.digits = text.substr(first, at - first);
    prefix.is_float = at < text.size() && text[at] == 'f';
    at += prefix.is_float;
    if (prefix.digits.empty() || at >= text.size() || text[at] != '@')
        return std::nullopt;
    prefix.length = at + 1;
    return prefix;
}

std::vector<std::string_view> split_arguments(std::string_view text)
{
    std::vector<std::string_view> arguments;
    size_t start = 0;
    int depth = 0;
    char last = ' ';  // the last character that was not a blank
    auto end_argument = [&](size_t end) {
        if (auto argument = trim(text.substr(start, end - start)); !argument.empty())
            arguments.push_back(argument);
        start = end;
        depth = 0;
    };
    for (size_t i = 0; i < text.size(); ++i) {
        if (!is_blank(text[i])) {
            last = text[i];
            depth += (last == '(' || last == '[') - (last == ')' || last == ']');
        } else if ((depth <= 0 && last != ',') || size_prefix(text.substr(i + 1))) {
            end_argument(i);
        }
    }
    end_argument(text.size());
    return arguments;
}

}  // namespace uscope::usdt
