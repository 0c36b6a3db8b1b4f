// The tokens of a statement. Blanks are between them. A literal, quoted name or comment
// without an end reaches to the end of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace uscope::db {

enum class Dialect : uint8_t { Mysql, Postgres };

struct SqlToken {
    enum class Kind : uint8_t { Word, Name, Number, String, Parameter, Mark, Comment };
    Kind kind;
    size_t start, end;  // in the text, quotes and prefixes (x'…', _utf8'…') included
};

struct SqlReading {
    Dialect dialect = Dialect::Mysql;
    // Whether a backslash escapes in a plain string, as MySQL has it unless told otherwise, and
    // PostgreSQL the other way round.
    bool escapes = dialect == Dialect::Mysql;
};

std::vector<SqlToken> sql_tokens(std::string_view text, const SqlReading &reading);

}  // namespace uscope::db
