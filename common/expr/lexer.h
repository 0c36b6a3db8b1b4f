// Splits the text of an expression into tokens.
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
    size_t column = 0, end = 0;                 // byte offsets in the whole text
    std::string text = {};                      // Name, Sign: as written; Text: unescaped
    uint64_t number = 0;                        // Number; a character literal ('c') is one as well
    bool is_unsigned = false, is_long = false;  // the type of a Number, by C's rules

    bool is(std::string_view sign) const { return kind == Kind::Sign && text == sign; }
};

// Returns all tokens and a final End. Names may contain "::" (C++, Rust) and start with '$'.
// Errors (fail_at()): a stray character, an unterminated literal, a number that does not fit.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace uscope::expr
