// What is taken for a secret, of MySQL, MariaDB and PostgreSQL alike:
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
//   '… password %L …', …              execute format('alter role %I password %L', 'r', 'x'): all literals
//                                     behind it, to the end of the parentheses
//   '… password ' || …                execute 'alter role r password ' || quote_literal('x'): all literals
//                                     behind it, to the end of the expression
//   concat('… identified by ', …)     set @s = concat('alter user u identified by ', quote('x')): all literals
//                                     behind it, to the end of concat() or concat_ws()
//
// With each the literal is gone, hashes too, whatever follows. A text may be read in several ways, and
// which one is the server's depends on its settings (is \ an escape? is "x" a name?): what is a secret
// in one of them is one.
#include "db/secrets.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "db/sql_lexer.h"

namespace uscope::db {
namespace {

using Kind = SqlToken::Kind;

constexpr std::string_view shown = "<secret>";

struct Range {
    size_t start, end;
    bool is_literal;  // a whole one, with its quotes
};
using Ranges = std::vector<Range>;

bool may_have_secrets(std::string_view text);

// What is between the quotes of a literal, and where each byte of it was; the last is the end.
struct Content {
    std::string text;
    std::vector<size_t> places;

    explicit Content(std::string_view literal)
    {
        size_t at = std::min(literal.find_first_of("'\"$"), literal.size() - 1);
        if (literal[at] == '$')
            between(literal, std::min(literal.find('$', at + 1), literal.size() - 1) + 1);
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
            places.push_back(at);
            at += is_pair;
            text += literal[at];
        }
        places.push_back(std::min(at, literal.size()));
    }
    // Of $tag$…$tag$.
    void between(std::string_view literal, size_t tag)
    {
        bool is_closed = literal.size() >= 2 * tag && literal.ends_with(literal.substr(0, tag));
        size_t end = literal.size() - (is_closed ? tag : 0);
        for (size_t at = tag; at < end; at++)
            places.push_back(at);
        places.push_back(end);
        text = literal.substr(std::min(tag, end), end - tag);
    }
};

class Reading {
  public:
    Reading(std::string_view text, const SqlReading &how, Ranges &found, int depth = 0)
        : text_(text), how_(how), tokens_(sql_tokens(text, how)), found_(found), depth_(depth)
    {
        size_t end = 0;  // of the delimiter that was met last
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
                i = literal(i);
        }
    }

  private:
    // MySQL executes what is between /*!50000 and */, and MariaDB what follows /*M!, too: the length of one of these.
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
    // Of concat(), its end.
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
    // Gives back the last token that it has seen.
    size_t literal(size_t i)
    {
        if (awaits_secret_)
            return take(i) - 1;
        if (tokens_[i].kind != Kind::String)
            return i;
        inside(tokens_[i]);
        awaits_secret_ = concat_ && awaits_secret(word(i));
        return after_beginning(i);
    }
    // Behind the literals, which are one: 'a' 'b'.
    size_t take(size_t i)
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
        size_t behind = take(i);
        if (behind == i)
            return;
        behind += is(behind, ")");
        if (is(behind, "replace"))  // the old one
            take(behind + 1);
    }
    void after_identified(size_t i)
    {
        for (; i < tokens_.size() && !is_one_of(i, {",", ";", "identified"}); i++) {
            if (is_one_of(i, {"by", "as", "using", "replace"}))
                take(i + 1);
        }
    }

    void after_set_config(size_t i)
    {
        if (is(i, "(") && is_literal(i + 1) && awaits_secret(word(i + 1)) && is(i + 2, ","))
            take(i + 3);
    }
    // Is it the beginning of something that goes on with a secret?
    static bool awaits_secret(std::string_view literal)
    {
        size_t end = literal.find_last_not_of(" \t\n='\"\\$(") + 1;
        std::string_view text = literal.substr(0, end);
        if (text.ends_with("password") ||
            text.ends_with("password for"))  // … the user's name is hidden, too
            return true;
        if (text.find("password for ") != text.npos)  // … u =
            return literal.find('=', end) != literal.npos;
        return text.find("identified ") != text.npos &&
               (text.ends_with(" by") || text.ends_with(" as") || text.ends_with(" using"));
    }
    // Has it password %L, as format() takes it?
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
    // Of a statement that is put together from a literal and what follows it. Gives back the last token that it has seen.
    size_t after_beginning(size_t i)
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

    void inside(const SqlToken &literal)
    {
        constexpr int most_depth = 4;
        std::string_view literal_text = text_.substr(literal.start, literal.end - literal.start);
        if (depth_ >= most_depth || !may_have_secrets(literal_text))
            return;
        as_statement(literal.start, Content(literal_text));
        std::string text = lower_case(literal_text);
        constexpr std::string_view name = "password";
        for (size_t at = 0; (at = text.find(name, at)) != text.npos;) {
            at += name.size();
            size_t value = text.find_first_not_of(" \t\n", at);
            if (value != text.npos && text[value] == '=')
                take_value(literal.start, text, value + 1);
        }
        for (size_t at = 0; (at = text.find("://", at)) != text.npos;)
            take_of_address(literal.start, text, at += 3);
    }
    void as_statement(size_t base, const Content &content)
    {
        Ranges found;
        Reading(content.text, how_, found, depth_ + 1).find();
        for (const Range &range : found)
            add_inside(base, content.places[range.start], content.places[range.end]);
    }
    // Of name = value: up to a blank, or to the quote that ends it, which is doubled or escaped here.
    void take_value(size_t base, std::string_view text, size_t at)
    {
        at = std::min(text.find_first_not_of(" \t\n", at), text.size());
        std::string_view quote;
        for (std::string_view one : {"''", "\\'", "'"}) {
            if (quote.empty() && text.substr(at).starts_with(one) && at + 1 < text.size())
                quote = one;
        }
        at += quote.size();
        size_t end = quote.empty() ? text.find_first_of(" \t\n&;'\"", at) : text.find(quote, at);
        add_inside(base, at, std::min(end, text.size()));
    }
    void take_of_address(size_t base, std::string_view text, size_t at)
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
    SqlReading how_;
    std::vector<SqlToken> tokens_;
    Ranges &found_;
    int depth_;
    int open_ = 0;                // parentheses
    int concat_ = 0;              // which of them is that of the outermost concat(); 0: none
    bool awaits_secret_ = false;  // in that one, behind a literal that goes on with one
};

// Most statements have none of the words: they are not taken apart.
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

// Those that overlap become one.
Ranges joined(Ranges ranges)
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
            Reading(text, {dialect, escapes}, found).find();
    }
    if (found.empty())
        return std::nullopt;
    std::string result;
    size_t at = 0;
    for (const Range &range : joined(std::move(found))) {
        result += text.substr(at, range.start - at);
        result += range.is_literal ? "'" + std::string(shown) + "'" : std::string(shown);
        at = range.end;
    }
    return result + std::string(text.substr(at));
}

}  // namespace uscope::db
