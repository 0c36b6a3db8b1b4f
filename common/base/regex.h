// Matches regular expressions that users type: POSIX extended ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <regex.h>

#include "base/result.h"

namespace uscope {

class Regex {
  public:
    // Errors: why the text is not a valid expression.
    static Result<Regex> compile(const std::string &text);

    // Whether the expression matches at the start of `text`. As in BCC's tools, "str" also matches
    // "strlen"; '$' requires the end of the name, and a leading ".*" allows a match anywhere.
    bool matches(std::string_view text) const;
    // Whether the expression matches any part of `text`.
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
