// Splits a statement into tokens as its server does, and writes them in one uniform way:
//
//   literals        ?            5 -5 1.5e3 0xff x'ff' 'it''s' "a\"b" _utf8'a' b'01' date'2024-01-01'
//   lists of them   (?+)         in (1, 2, 3);  in ((1, 'a'), (2, 'b'));  values (1, 'a'), (2, 'b')
//   variables       @?           @x, @`a b`; not @@system_variables
//   letters         lower case   but not in `quoted names`
//   quotes          nothing      if a name means the same without: `t`, "t"; not `a b`, `select`,
//                                or "T" in PostgreSQL
//   white space     one blank    comments are white space; /*! and /*+ are not comments in MySQL
//   a ; at the end  nothing
//
//     INSERT INTO `T`(a,b)  VALUES (1,'x'),( 2, NULL );   ->   insert into t(a, b) values (?+)
//
// "text" is a literal in MySQL (unless the server runs with ANSI_QUOTES, which is ignored) and a
// name in PostgreSQL. ? and $1 of a prepared statement count as literals, so a statement has the
// same digest whether prepared or not.
#include "db/digest.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace uscope::db {
namespace {

enum class DigestKind : uint8_t { Word, Keyword, Literal, Quoted, Mark };
struct Token {
    DigestKind kind;
    std::string text;
};

constexpr std::string_view literal = "?", list = "(?+)", variable = "@?";

// After one of these words, a + or - is the sign of a number, and a parenthesis does not begin a
// call's arguments.
constexpr std::array<std::string_view, 36> keywords = {
    "all",  "and",    "as",     "between",  "by",    "case",   "distinct", "div",   "else",
    "from", "having", "in",     "interval", "into",  "is",     "join",     "like",  "limit",
    "mod",  "not",    "offset", "on",       "or",    "regexp", "return",   "rlike", "select",
    "set",  "table",  "then",   "union",    "using", "value",  "values",   "when",  "where",
};

static_assert(std::is_sorted(keywords.begin(), keywords.end()));

// A sign belongs to the literal unless a value precedes it.
void add_literal(std::vector<Token> &tokens)
{
    while (!tokens.empty() && (tokens.back().text == "-" || tokens.back().text == "+")) {
        const Token *before = tokens.size() > 1 ? &tokens[tokens.size() - 2] : nullptr;
        if (before && before->kind != DigestKind::Keyword &&
            (before->kind != DigestKind::Mark || before->text == ")"))
            break;
        tokens.pop_back();
    }
    tokens.push_back({DigestKind::Literal, std::string(literal)});
}

Token word(std::string_view text)
{
    std::string word = lower_case(text);
    bool is_keyword = std::binary_search(keywords.begin(), keywords.end(), word);
    return {is_keyword ? DigestKind::Keyword : DigestKind::Word, std::move(word)};
}

// Does a quoted name mean the same without quotes? PostgreSQL converts names without quotes to
// lower case, so a name with capital letters needs its quotes there.
bool is_plain_name(std::string_view name, Dialect dialect)
{
    auto is_letter = [&](char c) {
        bool is_lower = (c >= 'a' && c <= 'z') || c == '_';
        return is_lower || (dialect == Dialect::Mysql && c >= 'A' && c <= 'Z');
    };
    return !name.empty() && is_letter(name[0]) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Makes the token of a quoted name. Adds the closing quote if the name was cut before it: `a``b` is
// complete, `a``b`` is not.
Token name(std::string_view text, Dialect dialect)
{
    std::string_view inside = text.substr(1, text.size() < 2 ? 0 : text.size() - 2);
    if (text.back() == text.front() && is_plain_name(inside, dialect)) {
        if (Token plain = word(inside); plain.kind == DigestKind::Word)
            return plain;
    }
    std::string name(text);
    size_t quotes = std::count(text.begin(), text.end(), text.front());
    if (quotes % 2)
        name += text.front();
    return {DigestKind::Quoted, std::move(name)};
}

std::vector<Token> tokens_of(std::string_view statement, Dialect dialect)
{
    std::vector<Token> tokens;
    bool was_string = false;  // 'a' 'b' is one literal
    constexpr size_t none = std::string_view::npos;
    size_t previous_end = none;  // where the previous token ends
    size_t variable_end = none;  // where an @ ends, after which a quoted name may follow
    std::vector<SqlToken> sql = sql_tokens(statement, {dialect});
    tokens.reserve(sql.size());
    for (const SqlToken &token : sql) {
        std::string_view text = statement.substr(token.start, token.end - token.start);
        bool is_string = token.kind == SqlToken::Kind::String;
        if (token.kind == SqlToken::Kind::Comment)
            continue;
        bool is_variable =
            text.starts_with('@') && !text.starts_with("@@") && token.start != previous_end;
        bool is_variable_name = token.start == variable_end;
        previous_end = token.end;
        if (is_variable_name)  // @`a b`
            continue;
        if (is_variable) {
            tokens.push_back({DigestKind::Word, std::string(variable)});
            variable_end = text.size() == 1 ? token.end : none;
        } else if (token.kind == SqlToken::Kind::Word)
            tokens.push_back(word(text));
        else if (token.kind == SqlToken::Kind::Name)
            tokens.push_back(name(text, dialect));
        else if (token.kind == SqlToken::Kind::Mark)
            tokens.push_back({DigestKind::Mark, std::string(text)});
        else if (!is_string || !was_string)
            add_literal(tokens);
        was_string = is_string;
    }
    return tokens;
}

bool token_is(const std::vector<Token> &tokens, size_t at, std::string_view text)
{
    return at < tokens.size() && tokens[at].text == text;
}

// Returns the index after a list of literals, or of rows of literals, that begins at `at`; `at` if
// there is no list.
size_t after_list(const std::vector<Token> &tokens, size_t at, bool may_have_rows)
{
    if (token_is(tokens, at, list))
        return at + 1;
    if (!token_is(tokens, at, "("))
        return at;
    for (size_t i = at + 1;; i++) {
        bool is_value = i < tokens.size() && tokens[i].kind == DigestKind::Literal;
        size_t end =
            is_value || token_is(tokens, i, "null") || token_is(tokens, i, "default") ? i + 1 : i;
        if (end == i && may_have_rows)
            end = after_list(tokens, i, false);
        if (end == i)
            return at;
        i = end;
        if (token_is(tokens, i, ")"))
            return i + 1;
        if (!token_is(tokens, i, ","))
            return at;
    }
}

std::vector<Token> with_lists(std::vector<Token> tokens)
{
    std::vector<Token> result;
    result.reserve(tokens.size());
    for (size_t i = 0; i < tokens.size();) {
        bool may_follow =
            tokens[i].kind == DigestKind::Keyword &&
            (tokens[i].text == "in" || tokens[i].text == "values" || tokens[i].text == "value");
        result.push_back(std::move(tokens[i++]));
        size_t end = may_follow ? after_list(tokens, i, true) : i;
        if (end == i)
            continue;
        for (size_t next;
             token_is(tokens, end, ",") && (next = after_list(tokens, end + 1, true)) > end + 1;)
            end = next;
        result.push_back({DigestKind::Literal, std::string(list)});
        i = end;
    }
    return result;
}

bool has_blank_between(const Token &left, const Token &right)
{
    auto is_one_of = [](const Token &token, std::initializer_list<std::string_view> texts) {
        return std::find(texts.begin(), texts.end(), token.text) != texts.end();
    };
    using enum DigestKind;
    if ((right.kind == Mark && is_one_of(right, {",", ")", ".", ";", "::", "[", "]"})) ||
        (left.kind == Mark && is_one_of(left, {"(", ".", "::", "["})))
        return false;
    if (right.text == "(")
        return left.kind == DigestKind::Keyword || left.kind == DigestKind::Mark ||
               left.kind == DigestKind::Literal;
    return true;
}

}  // namespace

std::string digest(std::string_view statement, Dialect dialect, size_t max_bytes)
{
    std::vector<Token> tokens = with_lists(tokens_of(statement, dialect));
    while (!tokens.empty() && tokens.back().text == ";")
        tokens.pop_back();
    std::string text;
    text.reserve(std::min(statement.size(), max_bytes));
    for (size_t i = 0; i < tokens.size() && text.size() <= max_bytes; i++) {
        if (i && has_blank_between(tokens[i - 1], tokens[i]))
            text += ' ';
        text += tokens[i].text;
    }
    if (text.size() > max_bytes)
        text.resize(max_bytes);
    return text;
}

}  // namespace uscope::db
