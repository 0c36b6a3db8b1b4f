// A lexer for the SQL of MySQL, MariaDB and PostgreSQL.
#include "db/sql_lexer.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::db {
namespace {

using Kind = SqlToken::Kind;

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
    Lexer(std::string_view text, const SqlSyntax &syntax)
        : text_(text), syntax_(syntax), is_postgres_(syntax.dialect == Dialect::Postgres)
    {
    }

    std::vector<SqlToken> run()
    {
        constexpr size_t bytes_a_token = 4;  // about
        tokens_.reserve(text_.size() / bytes_a_token);
        while (at_ < text_.size()) {
            start_ = at_;
            if (is_space(peek()))
                at_++;
            else
                tokens_.push_back({next(), start_, at_});
        }
        return std::move(tokens_);
    }

  private:
    char peek(size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    // `prefix` is not empty. Its first character nearly always decides.
    bool starts(std::string_view prefix) const
    {
        return peek() == prefix[0] && text_.substr(at_).starts_with(prefix);
    }
    void skip_past(std::string_view what)
    {
        size_t found = text_.find(what, at_);
        at_ = found == text_.npos ? text_.size() : found + what.size();
    }

    bool is_dash_comment() const
    {
        return starts("--") && (is_postgres_ || at_ + 2 == text_.size() || is_space(peek(2)));
    }
    // Does a comment start here? MySQL's /*! and /*+ and MariaDB's /*M! do not start one.
    bool is_comment() const
    {
        bool is_executed = starts("/*!") || starts("/*+") || starts("/*M!");
        return starts("/*") && (is_postgres_ || !is_executed);
    }
    // PostgreSQL's comments nest.
    Kind comment()
    {
        int depth = 1;
        for (at_ += 2; depth && at_ < text_.size();) {
            bool is_end = starts("*/"), is_inner = is_postgres_ && starts("/*");
            depth += is_inner - is_end;
            at_ += is_inner || is_end ? 2 : 1;
        }
        return Kind::Comment;
    }

    Kind next()
    {
        char c = peek();
        if ((c == '#' && !is_postgres_) || is_dash_comment())
            return at_ = std::min(text_.find('\n', at_), text_.size()), Kind::Comment;
        if (is_comment())
            return comment();
        if (c == '\'' || (c == '"' && !is_postgres_))
            return string(syntax_.escapes);
        if (c == '"' || (c == '`' && !is_postgres_))
            return skip_quotes(false), Kind::Name;
        if (c == '$' && is_postgres_)
            return parameter_or_string();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !follows_name()))
            return number();
        if (is_word(c) || (c == '@' && !is_postgres_))
            return word();
        if (c == '?')
            return at_++, Kind::Parameter;
        return mark();
    }

    // Does the '.' here follow a name? If so, another name comes after it, even one that starts
    // with a digit, and not the fraction of a number.
    bool follows_name() const
    {
        return !tokens_.empty() &&
               (tokens_.back().kind == Kind::Word || tokens_.back().kind == Kind::Name);
    }

    // Skips quoted text. In it, a quote is doubled or, if `has_escapes`, escaped with a backslash.
    void skip_quotes(bool has_escapes)
    {
        char quote = text_[at_++];
        while (at_ < text_.size()) {
            char c = text_[at_++];
            bool is_pair = (has_escapes && c == '\\') || (c == quote && peek() == quote);
            if (is_pair && at_ < text_.size())
                at_++;
            else if (c == quote)
                return;
        }
    }
    Kind string(bool has_escapes)
    {
        skip_quotes(has_escapes);
        return Kind::String;
    }

    // Reads the parameter $1, or the string $tag$text$tag$.
    Kind parameter_or_string()
    {
        size_t tag = 1;
        while (is_identifier(peek(tag)))
            tag++;
        if (peek(tag) != '$' || is_digit(peek(1))) {
            at_ += tag;
            return Kind::Parameter;
        }
        std::string_view quote = text_.substr(at_, tag + 1);
        at_ += quote.size();
        skip_past(quote);
        return Kind::String;
    }

    Kind number()
    {
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
            return Kind::Number;
        while (is_word(peek()))  // a name may begin with digits
            at_++;
        return Kind::Word;
    }

    Kind word()
    {
        while (is_word(peek()) || (peek() == '@' && !is_postgres_))
            at_++;
        bool is_u = at_ - start_ == 1 && (text_[start_] == 'u' || text_[start_] == 'U');
        bool before_string = peek() == '\'' || (peek() == '"' && !is_postgres_);
        if (is_postgres_ && is_u && starts("&'")) {
            at_++;
            before_string = true;
        }
        if (!before_string)
            return Kind::Word;
        std::string word = lower_case(text_.substr(start_, is_u ? 1 : at_ - start_));
        if (!is_literal_prefix(word))
            return Kind::Word;
        return string(is_postgres_ ? word == "e" || syntax_.escapes : syntax_.escapes);
    }
    bool is_literal_prefix(std::string_view word) const
    {
        return word == "x" || word == "b" || word == "n" || word == "date" || word == "time" ||
               word == "timestamp" ||
               (is_postgres_ ? word == "e" || word == "u" : word.front() == '_');
    }

    Kind mark()
    {
        static constexpr std::string_view long_marks[] = {
            "<=>", "->>", "<=", ">=", "<>", "!=", ":=", "&&", "||", "<<", ">>", "->", "*/", "::"};
        if (starts("/*")) {  // MySQL's /*!50000: the text that follows is not a comment
            for (at_ += 3; is_digit(peek());)
                at_++;
            return Kind::Mark;
        }
        for (std::string_view mark : long_marks) {
            if (starts(mark)) {
                at_ += mark.size();
                return Kind::Mark;
            }
        }
        at_++;
        return Kind::Mark;
    }

    std::string_view text_;
    SqlSyntax syntax_;
    bool is_postgres_;
    size_t at_ = 0, start_ = 0;
    std::vector<SqlToken> tokens_;
};

}  // namespace

std::vector<SqlToken> sql_tokens(std::string_view text, const SqlSyntax &syntax)
{
    return Lexer(text, syntax).run();
}

}  // namespace uscope::db
