// The text of an expression -> tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uscope::expr {

struct Token {
    enum class Kind : uint8_t { End, Number, Text, Name, Sign };
    Kind kind = Kind::End;
    size_t column = 0, end = 0;                 // bytes of the whole text
    std::string text = {};                      // Name, Sign: as written; Text: unescaped
    uint64_t number = 0;                        // Number, also of 'c'
    bool is_unsigned = false, is_long = false;  // the type of a Number, by C's rules

    bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
};

// All tokens and a final End. Names may hold "::" (C++, Rust) and start with '$'.
// Errors: fail_at() for a stray character, an unended literal, a number that does not fit.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace uscope::expr
