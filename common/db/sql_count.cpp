// Follows BEGIN and END through a text's tokens.
#include "db/sql_count.h"

#include <algorithm>

#include "base/text.h"

namespace uscope::db {
namespace {

// Counts the statements of one text. A CREATE or ALTER, or MariaDB's BEGIN NOT ATOMIC, may have a
// body between BEGIN and END, whose semicolons do not count. BEGIN alone starts a transaction.
class Counter {
  public:
    void add(std::string_view word)
    {
        if (word == ";" && depth_ == 0) {
            is_empty_ = true;
            return;
        }
        if (is_empty_)
            begin(word);
        else if (has_body_)
            follow(word);
        before_ = word;
    }
    size_t count() const { return std::max<size_t>(count_, 1); }

  private:
    void begin(std::string_view word)
    {
        count_++;
        is_empty_ = false;
        has_body_ = word == "create" || word == "alter" || word == "begin";
        depth_ = 0;
    }
    void follow(std::string_view word)
    {
        bool is_block = word == "begin" || word == "case" || (before_ == "begin" && word == "not");
        bool follows_end = before_ == "end";  // END CASE
        if (is_block && !follows_end)
            depth_++;
        bool ends_other = word == "if" || word == "while" || word == "loop" || word == "repeat" ||
                          word == "for";  // END IF: its IF was not counted
        if (word == "end" && depth_ > 0)
            depth_--;
        else if (follows_end && ends_other)
            depth_++;
    }

    size_t count_ = 0;
    int depth_ = 0;
    bool is_empty_ = true, has_body_ = false;
    std::string before_;
};

}  // namespace

size_t statement_count(std::string_view text, Dialect dialect)
{
    if (text.substr(0, text.find_last_not_of("; \t\r\n") + 1).find(';') == text.npos)
        return 1;
    Counter counter;
    for (const SqlToken &token : sql_tokens(text, {dialect})) {
        if (token.kind != SqlToken::Kind::Comment)
            counter.add(lower_case(text.substr(token.start, token.end - token.start)));
    }
    return counter.count();
}

}  // namespace uscope::db
