// Splits and quotes words as a shell does.
#include "run/shell_line.h"

#include "base/text.h"

namespace uscope::run {

ShellLine split_shell_line(std::string_view line)
{
    ShellLine split;
    char quote = 0;
    bool in_word = false;
    for (size_t i = 0; i < line.size(); i++) {
        char c = line[i];
        if (!quote && is_blank(c)) {
            in_word = false;
            continue;
        }
        if (!in_word)
            split.words.emplace_back();
        in_word = true;
        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else if (c == '\\' && quote != '\'' && i + 1 < line.size())
            split.words.back() += line[++i];
        else
            split.words.back() += c;
    }
    if (!in_word)
        split.words.emplace_back();
    split.open_quote = quote;
    return split;
}

std::string shell_quoted(std::string_view text, char open_quote)
{
    constexpr std::string_view plain = "_@%+=:,./-";
    std::string quoted;
    if (!open_quote && text.starts_with("~/")) {
        quoted = "~/";
        text.remove_prefix(2);
    }
    for (char c : text) {
        if (open_quote == '\'' && c == '\'') {
            quoted += "'\\''";
            continue;
        }
        bool is_special = open_quote == '"'
                              ? std::string_view("\"\\$`").find(c) != std::string_view::npos
                              : !open_quote && !is_identifier(c) && plain.find(c) == plain.npos;
        if (is_special)
            quoted += '\\';
        quoted += c;
    }
    return quoted;
}

}  // namespace uscope::run
