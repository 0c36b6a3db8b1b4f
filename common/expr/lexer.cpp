// Splits expressions into tokens.
#include "expr/lexer.h"

#include <array>

namespace uscope::expr {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool continues_name(char c)
{
    return (starts_name(c) && c != '$') || is_digit(c);
}

// Returns the value of a digit in any base, or a number that is too large for all bases.
unsigned digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 255;
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Result<std::vector<Token>> run()
    {
        std::vector<Token> tokens;
        for (;;) {
            while (at_ < text_.size() && strchr(" \t\r\n", text_[at_]) && text_[at_])
                at_++;
            Token token;
            token.column = at_;
            if (at_ < text_.size())
                TRY(begins_variable(tokens) ? variable_of_file(token) : read(token));
            token.end = at_;
            tokens.push_back(std::move(token));
            if (tokens.back().kind == Token::Kind::End)
                return tokens;
        }
    }

  private:
    char peek(size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    Result<> read(Token &token)
    {
        char c = peek();
        if (is_digit(c))
            return number(token);
        if (c == '"' || c == '\'')
            return quoted(token);
        if (starts_name(c)) {
            name(token);
            return {};
        }
        return sign(token);
    }

    // An '@' after a value is the one of value@user; but a ')' may end a cast.
    bool begins_variable(const std::vector<Token> &before) const
    {
        if (peek() != '@' || before.empty())
            return peek() == '@';
        const Token &last = before.back();
        bool is_user = text_.substr(at_ + 1).starts_with("user");
        return last.kind == Token::Kind::Sign && !last.is("]") && !(last.is(")") && is_user);
    }

    // "@c:environ", "@/usr/lib/libx.so.1:ns::counter"
    Result<> variable_of_file(Token &token)
    {
        size_t colon = text_.find(':', at_);
        std::string_view file = text_.substr(at_ + 1, colon - at_ - 1);
        if (colon == text_.npos || file.empty() || file.find_first_of(" ()[],\"'") != file.npos)
            return fail_at(text_, at_, "a variable of another file is @LIBRARY:NAME");
        at_ = colon + 1;
        if (!starts_name(peek()))
            return fail_at(text_, at_, "expected the name of a variable of {}", file);
        name(token);
        token.text = text_.substr(token.column, at_ - token.column);
        return {};
    }

    void name(Token &token)
    {
        token.kind = Token::Kind::Name;
        at_++;
        while (continues_name(peek()) ||
               (peek() == ':' && peek(1) == ':' && starts_name(peek(2)))) {
            at_ += peek() == ':' ? 3 : 1;
        }
        token.text = text_.substr(token.column, at_ - token.column);
    }

    Result<> number(Token &token)
    {
        token.kind = Token::Kind::Number;
        unsigned base = 10;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
            base = 16;
            at_ += 2;
        } else if (peek() == '0' && is_digit(peek(1))) {
            base = 8;
            at_++;
        }
        size_t first = at_;
        for (; digit_value(peek()) < base; at_++) {
            if (__builtin_mul_overflow(token.number, base, &token.number) ||
                __builtin_add_overflow(token.number, digit_value(peek()), &token.number))
                return fail_at(text_, token.column, "the number does not fit in 64 bits");
        }
        if (at_ == first)
            return fail_at(text_, at_, "expected a digit");
        if (peek() == '.' && is_digit(peek(1)))
            return fail_at(text_, token.column, "cannot calculate with floating-point numbers");

        bool suffix_long = false;
        for (;; at_++) {
            if (peek() == 'u' || peek() == 'U')
                token.is_unsigned = true;
            else if (peek() == 'l' || peek() == 'L')
                suffix_long = true;
            else
                break;
        }
        if (continues_name(peek()))
            return fail_at(text_, at_, "unexpected '{}' in a number", peek());

        // C's rule: the type is the first of int, unsigned (not for plain decimals), long and
        // unsigned long that can hold the number.
        bool may_be_unsigned = token.is_unsigned || base != 10;
        bool fits_int = token.number <= (token.is_unsigned ? UINT32_MAX : INT32_MAX);
        bool fits_unsigned = may_be_unsigned && token.number <= UINT32_MAX;
        token.is_long = suffix_long || !(fits_int || fits_unsigned);
        if (token.is_long)
            token.is_unsigned |= token.number > INT64_MAX;
        else
            token.is_unsigned |= !fits_int;
        return {};
    }

    // Parses an escape sequence, starting after its backslash.
    Result<char> escape()
    {
        static constexpr std::string_view names = "ntrabfve\\\"'?";
        static constexpr std::string_view values = "\n\t\r\a\b\f\v\x1b\\\"'?";
        char c = peek();
        if (size_t index = names.find(c); c && index != std::string_view::npos) {
            at_++;
            return values[index];
        }
        unsigned base = 8, max = 3, value = 0;
        if (c == 'x') {
            at_++;
            base = 16, max = 2;
        }
        size_t first = at_;
        for (; at_ - first < max && digit_value(peek()) < base; at_++)
            value = value * base + digit_value(peek());
        if (at_ == first || value > 255)
            return fail_at(text_, first, "unknown escape in a literal");
        return static_cast<char>(value);
    }

    Result<> quoted(Token &token)
    {
        char quote = text_[at_++];
        while (at_ < text_.size() && text_[at_] != quote) {
            char c = text_[at_++];
            token.text += c == '\\' ? TRY(escape()) : c;
        }
        if (at_ >= text_.size())
            return fail_at(text_, token.column, "no closing {}", quote);
        at_++;
        token.kind = Token::Kind::Text;
        if (quote == '\'') {
            if (token.text.size() != 1)
                return fail_at(text_, token.column, "expected one character between the quotes");
            token.kind = Token::Kind::Number;
            token.number = static_cast<int64_t>(token.text[0]);
        }
        return {};
    }

    Result<> sign(Token &token)
    {
        static constexpr std::array<std::string_view, 32> signs = {
            "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "+", "-", "*", "/", "%", "<", ">",
            "&",  "|",  "^",  "!",  "~",  "?",  ":",  "(",  ")",  "[", "]", ".", ",", "@", "=", ";",
        };
        std::string_view rest = text_.substr(at_);
        for (std::string_view candidate : signs) {
            if (rest.starts_with(candidate)) {
                token.kind = Token::Kind::Sign;
                token.text = candidate;
                at_ += candidate.size();
                return {};
            }
        }
        return fail_at(text_, at_, "unexpected character in an expression");
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text)
{
    return Lexer(text).run();
}

}  // namespace uscope::expr
