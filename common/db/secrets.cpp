// These literals count as secrets, in MySQL, MariaDB and PostgreSQL alike:
//
//   password [=] [(] 'x'              create role r password 'x';  set password = password('x');
//                                     also master_password, source_password, `password`, x.password to
//   sst_auth = 'x'                    set global wsrep_sst_auth = 'user:x'
//   set_config('…password', 'x'       select set_config('app.password', 'x', false)
//   password for u = 'x'              set password for u = 'x'
//   identified … by|as|using 'x'      create user u identified with p by 'x' replace 'y'
//   '… password=x …'                  create subscription s connection 'host=h password=x'
//   '…://user:x@…'                    create table t (…) connection='mysql://u:x@h/d'
//   '… password ''x'' …'              prepare s from 'alter user …';  do $$ … execute '…' … $$
//   '… password %L …', …              execute format('alter role %I password %L', 'r', 'x'):
//                                     all literals after it, to the end of the parentheses
//   '… password ' || …                execute 'alter role r password ' || quote_literal('x'):
//                                     all literals after it, to the end of the expression
//   concat('… identified by ', …)     set @s = concat('alter user u identified by ', quote('x')):
//                                     all literals after it, to the end of concat() or concat_ws()
//
// A literal that is a secret is hidden as a whole, even if it is a hash; inside another literal,
// only the secret is hidden. How a server reads a text depends on its settings (is \ an escape? is
// "x" a name?), so the text is parsed in all four ways, and what is a secret in one of them is
// hidden.
#include "db/secrets.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "db/sql_lexer.h"

namespace uscope::db {
namespace {

using Kind = SqlToken::Kind;

constexpr std::string_view replacement = "<secret>";

struct Range {
    size_t start, end;
    bool is_literal;  // a whole literal with its quotes
};
using Ranges = std::vector<Range>;

bool may_have_secrets(std::string_view text);

// The text between the quotes of a literal, and the offset of each of its bytes in the literal; one
// more offset marks the end.
struct Content {
    std::string text;
    std::vector<size_t> offsets;

    explicit Content(std::string_view literal)
    {
        size_t at = std::min(literal.find_first_of("'\"$"), literal.size() - 1);
        if (literal[at] == '$')
            read_dollar_quoted(literal,
                               std::min(literal.find('$', at + 1), literal.size() - 1) + 1);
        else
            unquote(literal, at);
    }

  private:
    void unquote(std::string_view literal, size_t at)
    {
        char quote = literal[at];
        for (at++; at < literal.size(); at++) {
            char next = at + 1 < literal.size() ? literal[at + 1] : 0;
            bool is_pair = next && (literal[at] == '\\' || (literal[at] == quote && next == quote));
            if (literal[at] == quote && !is_pair)
                break;
            offsets.push_back(at);
            at += is_pair;
            text += literal[at];
        }
        offsets.push_back(std::min(at, literal.size()));
    }
    // Reads $tag$…$tag$.
    void read_dollar_quoted(std::string_view literal, size_t tag)
    {
        bool is_closed = literal.size() >= 2 * tag && literal.ends_with(literal.substr(0, tag));
        size_t end = literal.size() - (is_closed ? tag : 0);
        for (size_t at = tag; at < end; at++)
            offsets.push_back(at);
        offsets.push_back(end);
        text = literal.substr(std::min(tag, end), end - tag);
    }
};

// Finds the secrets in a text that is read in one of the four ways.
class SecretFinder {
  public:
    SecretFinder(std::string_view text, const SqlSyntax &how, Ranges &found, int depth = 0)
        : text_(text), how_(how), tokens_(sql_tokens(text, how)), found_(found), depth_(depth)
    {
        size_t end = 0;  // of the last delimiter of an executed comment
        std::erase_if(tokens_, [&](const SqlToken &token) {
            end = std::max(end, token.start + delimiter(text_.substr(token.start)));
            return token.kind == Kind::Comment || token.start < end;
        });
    }

    void find()
    {
        for (size_t i = 0; i < tokens_.size(); i++) {
            count_parentheses(i);
            if (is_password(i))
                after_password(i + 1);
            else if (is(i, "set_config"))
                after_set_config(i + 1);
            else if (is(i, "identified"))
                after_identified(i + 1);
            else if (is_literal(i))
                i = handle_literal(i);
        }
    }

  private:
    // MySQL executes the text between /*!50000 and */, and MariaDB also the text after /*M!.
    // Returns the length of such a delimiter at the text's start; 0 if there is none.
    static size_t delimiter(std::string_view text)
    {
        if (text.starts_with("*/"))
            return 2;
        for (std::string_view begin : {"/*!", "/*M!"}) {
            if (text.starts_with(begin))
                return std::min(text.find_first_not_of("0123456789", begin.size()), text.size());
        }
        return 0;
    }
    std::string word(size_t i) const
    {
        if (i >= tokens_.size())
            return "";
        return lower_case(text_.substr(tokens_[i].start, tokens_[i].end - tokens_[i].start));
    }
    bool is(size_t i, std::string_view wanted) const { return word(i) == wanted; }
    bool is_one_of(size_t i, std::initializer_list<std::string_view> wanted) const
    {
        return std::find(wanted.begin(), wanted.end(), word(i)) != wanted.end();
    }
    bool is_literal(size_t i) const
    {
        return i < tokens_.size() &&
               (tokens_[i].kind == Kind::String ||
                (tokens_[i].kind == Kind::Number && word(i).starts_with("0x")));
    }
    bool is_password(size_t i) const
    {
        std::string name = word(i);
        if (tokens_[i].kind == Kind::Name && name.size() > 2)
            name = name.substr(1, name.size() - 2);
        return (tokens_[i].kind == Kind::Word || tokens_[i].kind == Kind::Name) &&
               (name.ends_with("password") || name.ends_with("sst_auth"));
    }
    // Tracks the parentheses, to find the end of a concat().
    void count_parentheses(size_t i)
    {
        if (is(i, "(")) {
            open_++;
            if (!concat_ && i > 0 && is_one_of(i - 1, {"concat", "concat_ws"}))
                concat_ = open_;
        } else if (is(i, ")") || is(i, ";")) {
            if (open_ <= concat_ || is(i, ";"))
                concat_ = 0, awaits_secret_ = false;
            open_ = is(i, ";") ? 0 : std::max(open_ - 1, 0);
        }
    }
    // Handles a literal; returns the index of the last token it has consumed.
    size_t handle_literal(size_t i)
    {
        if (awaits_secret_)
            return hide_literals(i) - 1;
        if (tokens_[i].kind != Kind::String)
            return i;
        find_inside(tokens_[i]);
        awaits_secret_ = concat_ && awaits_secret(word(i));
        return hide_appended(i);
    }
    // Hides the adjacent literals at `i` ('a' 'b' is one literal); returns the index after them.
    size_t hide_literals(size_t i)
    {
        for (; is_literal(i); i++)
            found_.push_back({tokens_[i].start, tokens_[i].end, true});
        return i;
    }

    void after_password(size_t i)
    {
        if (is(i, "for")) {
            do
                i++;
            while (i < tokens_.size() && !is_one_of(i, {"=", ":=", ";", "password"}));
        }
        while (is_one_of(i, {"=", ":=", "to", "(", "password", "old_password"}))
            i++;
        size_t next = hide_literals(i);
        if (next == i)
            return;
        next += is(next, ")");
        if (is(next, "replace"))  // the old password
            hide_literals(next + 1);
    }
    void after_identified(size_t i)
    {
        for (; i < tokens_.size() && !is_one_of(i, {",", ";", "identified"}); i++) {
            if (is_one_of(i, {"by", "as", "using", "replace"}))
                hide_literals(i + 1);
        }
    }

    void after_set_config(size_t i)
    {
        if (is(i, "(") && is_literal(i + 1) && awaits_secret(word(i + 1)) && is(i + 2, ","))
            hide_literals(i + 3);
    }
    // Does the literal end in the middle of a clause, so that the next literal is a secret?
    static bool awaits_secret(std::string_view literal)
    {
        size_t end = literal.find_last_not_of(" \t\n='\"\\$(") + 1;
        std::string_view text = literal.substr(0, end);
        if (text.ends_with("password") ||
            text.ends_with("password for"))  // the user's name that follows is also hidden
            return true;
        if (text.find("password for ") != text.npos)  // … u =
            return literal.find('=', end) != literal.npos;
        return text.find("identified ") != text.npos &&
               (text.ends_with(" by") || text.ends_with(" as") || text.ends_with(" using"));
    }
    // Does the literal, as the string of a format(), contain password %L or password %s?
    static bool formats_password(std::string_view literal)
    {
        constexpr std::string_view name = "password";
        for (size_t at = 0; (at = literal.find(name, at)) != literal.npos;) {
            at += name.size();
            size_t percent = literal.find_first_not_of(" \t\n='\"\\", at);
            if (percent == literal.npos || percent == at || literal[percent] != '%')
                continue;
            size_t letter = literal.find_first_not_of("0123456789$*-", percent + 1);
            if (letter != literal.npos && (literal[letter] == 'l' || literal[letter] == 's'))
                return true;
        }
        return false;
    }
    // If the literal at `i` is the beginning of a statement that format() or || completes, hides
    // the literals that follow. Returns the index of the last token it has consumed.
    size_t hide_appended(size_t i)
    {
        std::string_view whole = text_.substr(tokens_[i].start, tokens_[i].end - tokens_[i].start);
        if (!may_have_secrets(whole))
            return i;
        std::string literal = word(i);
        bool is_format = formats_password(literal);
        if (!is_format && !(is(i + 1, "||") && awaits_secret(literal)))
            return i;
        int open = 0;
        for (i++; i < tokens_.size() && !is(i, ";"); i++) {
            open += is(i, "(") - is(i, ")");
            if (open < 0 || (open == 0 && !is_format && is(i, ",")))
                break;
            if (is_literal(i))
                found_.push_back({tokens_[i].start, tokens_[i].end, true});
        }
        return i - 1;
    }

    void find_inside(const SqlToken &literal)
    {
        constexpr int max_depth = 4;
        std::string_view literal_text = text_.substr(literal.start, literal.end - literal.start);
        if (depth_ >= max_depth || !may_have_secrets(literal_text))
            return;
        find_in_statement(literal.start, Content(literal_text));
        std::string text = lower_case(literal_text);
        constexpr std::string_view name = "password";
        for (size_t at = 0; (at = text.find(name, at)) != text.npos;) {
            at += name.size();
            size_t value = text.find_first_not_of(blanks, at);
            if (value != text.npos && text[value] == '=')
                hide_value(literal.start, text, value + 1);
        }
        for (size_t at = 0; (at = text.find("://", at)) != text.npos;)
            hide_url_password(literal.start, text, at += 3);
    }
    void find_in_statement(size_t base, const Content &content)
    {
        Ranges found;
        SecretFinder(content.text, how_, found, depth_ + 1).find();
        for (const Range &range : found)
            add_inside(base, content.offsets[range.start], content.offsets[range.end]);
    }
    // Hides the value of name = value: up to a blank, or to its closing quote, which is doubled or
    // escaped inside a literal.
    void hide_value(size_t base, std::string_view text, size_t at)
    {
        at = std::min(text.find_first_not_of(blanks, at), text.size());
        std::string_view quote;
        for (std::string_view form : {"''", "\\'", "'"}) {
            if (quote.empty() && text.substr(at).starts_with(form) && at + 1 < text.size())
                quote = form;
        }
        at += quote.size();
        size_t end = quote.empty() ? text.find_first_of(" \t\n&;'\"", at) : text.find(quote, at);
        add_inside(base, at, std::min(end, text.size()));
    }
    void hide_url_password(size_t base, std::string_view text, size_t at)
    {
        size_t end = std::min(text.find_first_of("/?# '\"", at), text.size());
        std::string_view user = text.substr(at, end - at);
        size_t host = user.rfind('@'), colon = user.find(':');
        if (host != user.npos && colon < host)
            add_inside(base, at + colon + 1, at + host);
    }
    void add_inside(size_t base, size_t start, size_t end)
    {
        if (start < end)
            found_.push_back({base + start, base + end, false});
    }

    std::string_view text_;
    SqlSyntax how_;
    std::vector<SqlToken> tokens_;
    Ranges &found_;
    int depth_;
    int open_ = 0;                // number of open parentheses
    int concat_ = 0;              // depth of the outermost concat()'s parenthesis; 0: none is open
    bool awaits_secret_ = false;  // in that concat(), awaits_secret() was true of a literal
};

// A quick check: most statements have none of these words and need no parsing.
bool may_have_secrets(std::string_view text)
{
    for (size_t i = 0; i < text.size(); i++) {
        std::string_view word;
        switch (text[i]) {
        case 'p':
        case 'P':
            word = "password";
            break;
        case 'i':
        case 'I':
            word = "identified";
            break;
        case 's':
        case 'S':
            word = "sst_auth";
            break;
        case ':':
            word = "://";
            break;
        default:
            continue;
        }
        if (text.size() - i >= word.size() && lower_case(text.substr(i, word.size())) == word)
            return true;
    }
    return false;
}

// Merges overlapping ranges.
Ranges merged(Ranges ranges)
{
    std::sort(ranges.begin(), ranges.end(),
              [](const Range &a, const Range &b) { return a.start < b.start; });
    Ranges result;
    for (const Range &range : ranges) {
        if (!result.empty() && range.start < result.back().end) {
            result.back().end = std::max(result.back().end, range.end);
            result.back().is_literal |= range.is_literal;
        } else {
            result.push_back(range);
        }
    }
    return result;
}

}  // namespace

std::optional<std::string> without_secrets(std::string_view text)
{
    if (!may_have_secrets(text))
        return std::nullopt;
    Ranges found;
    for (Dialect dialect : {Dialect::Mysql, Dialect::Postgres}) {
        for (bool escapes : {false, true})
            SecretFinder(text, {dialect, escapes}, found).find();
    }
    if (found.empty())
        return std::nullopt;
    std::string result;
    size_t at = 0;
    for (const Range &range : merged(std::move(found))) {
        result += text.substr(at, range.start - at);
        result +=
            range.is_literal ? "'" + std::string(replacement) + "'" : std::string(replacement);
        at = range.end;
    }
    return result + std::string(text.substr(at));
}

}  // namespace uscope::db
