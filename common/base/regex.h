// Matches the regular expressions that users type (POSIX extended syntax).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <regex.h>

#include "base/result.h"

namespace uscope {

class Regex {
  public:
    // Errors: the text is not a valid expression; the message says why.
    static Result<Regex> compile(const std::string &text);

    // Does the expression match at the start of `text`? It need not match all of it: "str" matches
    // "strlen", as in BCC's tools. To match only "str", a user writes "str$"; to match anywhere,
    // ".*str".
    bool matches(std::string_view text) const;
    // Does the expression match any part of `text`?
    bool is_in(std::string_view text) const;

  private:
    struct Free {
        void operator()(regex_t *regex) const
        {
            regfree(regex);
            delete regex;
        }
    };
    explicit Regex(regex_t *regex) : regex_(regex) {}
    std::unique_ptr<regex_t, Free> regex_;
};

}  // namespace uscope
