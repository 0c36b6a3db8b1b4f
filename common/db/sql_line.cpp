// Replaces line ends and tabs in blanks, comments and strings.
#include "db/sql_line.h"

#include <algorithm>

#include "output/name.h"

namespace uscope::db {
namespace {

constexpr std::string_view not_in_a_line = "\n\r\t";

bool fits(std::string_view text)
{
    return text.find_first_of(not_in_a_line) == text.npos;
}

std::string with_blanks(std::string_view text)
{
    std::string result(text);
    for (char &c : result) {
        if (not_in_a_line.find(c) != not_in_a_line.npos)
            c = ' ';
    }
    return result;
}

// Turns a comment that extends to the end of its line into /* */: once line ends are removed, it
// would hide the rest of the statement.
std::string comment_of(std::string_view comment)
{
    if (comment.starts_with("/*"))
        return with_blanks(comment);
    std::string body = with_blanks(comment.substr(comment.front() == '#' ? 1 : 2));
    bool has_marks = body.find("*/") != body.npos || body.find("/*") != body.npos;
    return has_marks ? "" : "/*" + body + " */";
}

// The text of a string in '…' or $tag$…$tag$. The string's end may have been cut off.
struct Quoted {
    std::string_view body;
    bool is_closed;
};
Quoted quoted(std::string_view string)
{
    size_t tag_end = string.front() == '$' ? string.find('$', 1) : 0;
    std::string_view mark = string.substr(0, tag_end + 1), body = string.substr(mark.size());
    bool is_closed = body.ends_with(mark);
    if (is_closed)
        body.remove_suffix(mark.size());
    return {body, is_closed};
}

// append_name() writes a line end as \n. PostgreSQL reads that as a line end only in E'…', where
// each other backslash must be doubled.
std::string string_of(std::string_view string, Dialect dialect)
{
    bool has_dollars = string.front() == '$';
    if (dialect == Dialect::Mysql || !(has_dollars || string.front() == '\''))
        return std::string(string);
    auto [body, is_closed] = quoted(string);
    std::string result = "E'";
    for (char c : body)
        result.append(c == '\\' || (has_dollars && c == '\'') ? 2 : 1, c);
    return is_closed ? result + "'" : result;
}

std::string in_one_line(std::string_view text, Dialect dialect)
{
    std::string line;
    auto tokens = sql_tokens(text, {dialect});
    tokens.push_back({SqlToken::Kind::Mark, text.size(), text.size()});
    size_t at = 0;
    for (const SqlToken &token : tokens) {
        std::string_view blanks = text.substr(at, token.start - at);
        line += fits(blanks) ? blanks : " ";
        std::string_view part = text.substr(token.start, token.end - token.start);
        bool is_comment = token.kind == SqlToken::Kind::Comment;
        if (is_comment && token.end < text.size())
            line += comment_of(part);
        else if (token.kind == SqlToken::Kind::String && !fits(part))
            line += string_of(part, dialect);
        else
            line += part;
        at = token.end;
    }
    return line;
}

}  // namespace

std::string sql_line(std::string_view text, Dialect dialect)
{
    std::string out;
    output::append_name(out, fits(text) ? std::string(text) : in_one_line(text, dialect));
    return out;
}

}  // namespace uscope::db
