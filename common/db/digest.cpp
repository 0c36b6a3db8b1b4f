// A statement is taken apart as MySQL does it, and put together again in one way:
//
//   literals        ?            5 -5 1.5e3 0xff x'ff' 'it''s' "a\"b" _utf8'a' b'01' date'2024-01-01'
//   lists of them   (?+)         in (1, 2, 3);  values (1, 'a'), (2, 'b')
//   letters         small        but not in `quoted names`
//   white space     one blank    comments are white space; /*! and /*+ are no comments to MySQL
//   a ; at the end  nothing
//
//     INSERT INTO `T`(a,b)  VALUES (1,'x'),( 2, NULL );   ->   insert into `T`(a, b) values (?+)
//
// "text" is a literal, which it is unless the server runs with ANSI_QUOTES. A ? of a prepared
// statement is one already, so a statement is the same prepared and not. What begins as a literal or
// a comment and has no end reaches to the statement's end.
#include "db/digest.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "db/letters.h"

namespace uscope::db {
namespace {

enum class Kind : uint8_t { Word, Keyword, Literal, Quoted, Mark };
struct Token {
    Kind kind;
    std::string text;
};

constexpr std::string_view literal = "?", list = "(?+)";

// Words that a sign, or a parenthesis that calls nothing, may follow.
constexpr std::array<std::string_view, 36> keywords = {
    "all",  "and",    "as",     "between",  "by",    "case",   "distinct", "div",   "else",
    "from", "having", "in",     "interval", "into",  "is",     "join",     "like",  "limit",
    "mod",  "not",    "offset", "on",       "or",    "regexp", "return",   "rlike", "select",
    "set",  "table",  "then",   "union",    "using", "value",  "values",   "when",  "where",
};

static_assert(std::is_sorted(keywords.begin(), keywords.end()));

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_word(char c)
{
    return is_identifier(c) || c == '$';
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> run()
    {
        while (at_ < text_.size()) {
            if (!skip_blank())
                next();
        }
        return std::move(tokens_);
    }

  private:
    char peek(size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
    void skip_to_end_of_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    bool skip_blank()
    {
        bool is_dashes = starts("--") && (at_ + 2 == text_.size() || is_space(peek(2)));
        if (is_space(peek())) {
            at_++;
        } else if (peek() == '#' || is_dashes) {
            skip_to_end_of_line();
        } else if (starts("/*") && peek(2) != '!' && peek(2) != '+') {
            size_t end = text_.find("*/", at_ + 2);
            at_ = end == text_.npos ? text_.size() : end + 2;
        } else {
            return false;
        }
        return true;
    }

    void next()
    {
        char c = peek();
        if (c == '\'' || c == '"')
            return quoted_literal();
        if (c == '`')
            return quoted_name();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !follows_name()))
            return number();
        if (is_word(c) || c == '@')
            return word();
        if (c == '?')
            return at_++, add_literal();
        mark();
    }

    // Behind a name a '.' is followed by another, which may begin with a digit.
    bool follows_name() const
    {
        return !tokens_.empty() &&
               (tokens_.back().kind == Kind::Word || tokens_.back().kind == Kind::Quoted);
    }

    // Passes over what is between quotes; a quote is doubled or, in a string, escaped. False: it
    // has no end.
    bool skip_quotes(bool has_escapes)
    {
        char quote = text_[at_++];
        while (at_ < text_.size()) {
            char c = text_[at_++];
            bool is_pair = (has_escapes && c == '\\') || (c == quote && peek() == quote);
            if (is_pair && at_ < text_.size())
                at_++;
            else if (c == quote)
                return true;
        }
        return false;
    }

    void quoted_literal()
    {
        skip_quotes(true);
        // 'a' 'b' is one.
        if (!tokens_.empty() && tokens_.back().text == literal && was_string_)
            return;
        add_literal();
        was_string_ = true;
    }

    void quoted_name()
    {
        size_t start = at_;
        bool is_closed = skip_quotes(false);
        std::string name(text_.substr(start, at_ - start));
        if (!is_closed)
            name += '`';
        add(Kind::Quoted, std::move(name));
    }

    void number()
    {
        size_t start = at_;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) {
            for (at_ += 2; is_hex(peek());)
                at_++;
        } else {
            while (is_digit(peek()) || peek() == '.')
                at_++;
            size_t sign = peek(1) == '-' || peek(1) == '+';
            if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
                for (at_ += 1 + sign; is_digit(peek());)
                    at_++;
            }
        }
        if (!is_word(peek()))
            return add_literal();
        while (is_word(peek()))  // a name may begin with digits
            at_++;
        add(Kind::Word, lower_case(text_.substr(start, at_ - start)));
    }

    void word()
    {
        size_t start = at_;
        while (is_word(peek()) || peek() == '@')
            at_++;
        std::string word = lower_case(text_.substr(start, at_ - start));
        bool before_string = peek() == '\'' || peek() == '"';
        bool is_prefix = word == "x" || word == "b" || word == "n" || word[0] == '_' ||
                         word == "date" || word == "time" || word == "timestamp";
        if (before_string && is_prefix)
            return quoted_literal();
        bool is_keyword = std::binary_search(keywords.begin(), keywords.end(), word);
        add(is_keyword ? Kind::Keyword : Kind::Word, std::move(word));
    }

    void mark()
    {
        static constexpr std::string_view long_marks[] = {
            "<=>", "->>", "<=", ">=", "<>", "!=", ":=", "&&", "||", "<<", ">>", "->", "*/"};
        if (starts("/*!") || starts("/*+")) {
            size_t start = at_;
            for (at_ += 3; is_digit(peek());)
                at_++;
            return add(Kind::Mark, std::string(text_.substr(start, at_ - start)));
        }
        for (std::string_view mark : long_marks) {
            if (starts(mark)) {
                at_ += mark.size();
                return add(Kind::Mark, std::string(mark));
            }
        }
        add(Kind::Mark, std::string(1, text_[at_++]));
    }

    void add(Kind kind, std::string text)
    {
        tokens_.push_back({kind, std::move(text)});
        was_string_ = false;
    }

    // A sign where no value stands before it belongs to the literal.
    void add_literal()
    {
        while (!tokens_.empty() && (tokens_.back().text == "-" || tokens_.back().text == "+")) {
            const Token *before = tokens_.size() > 1 ? &tokens_[tokens_.size() - 2] : nullptr;
            if (before && before->kind != Kind::Keyword &&
                (before->kind != Kind::Mark || before->text == ")"))
                break;
            tokens_.pop_back();
        }
        add(Kind::Literal, std::string(literal));
    }

    std::string_view text_;
    size_t at_ = 0;
    std::vector<Token> tokens_;
    bool was_string_ = false;
};

bool is(const std::vector<Token> &tokens, size_t at, std::string_view text)
{
    return at < tokens.size() && tokens[at].text == text;
}

// Behind a list of literals that begins at `at`; `at` when there is none.
size_t behind_list(const std::vector<Token> &tokens, size_t at)
{
    if (is(tokens, at, list))
        return at + 1;
    if (!is(tokens, at, "("))
        return at;
    for (size_t i = at + 1;; i += 2) {
        bool is_value = i < tokens.size() && tokens[i].kind == Kind::Literal;
        if (!is_value && !is(tokens, i, "null") && !is(tokens, i, "default"))
            return at;
        if (is(tokens, i + 1, ")"))
            return i + 2;
        if (!is(tokens, i + 1, ","))
            return at;
    }
}

std::vector<Token> with_lists(std::vector<Token> tokens)
{
    std::vector<Token> result;
    for (size_t i = 0; i < tokens.size();) {
        bool may_follow =
            tokens[i].kind == Kind::Keyword &&
            (tokens[i].text == "in" || tokens[i].text == "values" || tokens[i].text == "value");
        result.push_back(std::move(tokens[i++]));
        size_t end = may_follow ? behind_list(tokens, i) : i;
        if (end == i)
            continue;
        for (size_t next; is(tokens, end, ",") && (next = behind_list(tokens, end + 1)) > end + 1;)
            end = next;
        result.push_back({Kind::Literal, std::string(list)});
        i = end;
    }
    return result;
}

bool has_blank_between(const Token &left, const Token &right)
{
    if (right.text == "," || right.text == ")" || right.text == "." || right.text == ";")
        return false;
    if (left.text == "(" || left.text == ".")
        return false;
    if (right.text == "(")
        return left.kind == Kind::Keyword || left.kind == Kind::Mark || left.kind == Kind::Literal;
    return true;
}

}  // namespace

std::string digest(std::string_view statement, size_t most_bytes)
{
    std::vector<Token> tokens = with_lists(Lexer(statement).run());
    while (!tokens.empty() && tokens.back().text == ";")
        tokens.pop_back();
    std::string text;
    for (size_t i = 0; i < tokens.size() && text.size() <= most_bytes; i++) {
        if (i && has_blank_between(tokens[i - 1], tokens[i]))
            text += ' ';
        text += tokens[i].text;
    }
    if (text.size() > most_bytes)
        text.resize(most_bytes);
    return text;
}

}  // namespace uscope::db
