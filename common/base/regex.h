// Regular expressions that people type: POSIX extended ones.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <regex.h>

#include "base/result.h"

namespace uscope {

class Regex {
  public:
    // Errors: what is wrong with it.
    static Result<Regex> compile(const std::string &text);

    // Does `text` begin with what it describes? As in BCC's tools: "str" means "strlen" too, '$'
    // ends a name, and ".*" at its start finds it anywhere.
    bool matches(std::string_view text) const;
    // Does it describe any part of `text`?
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
