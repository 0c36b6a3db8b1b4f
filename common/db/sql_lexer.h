// Splits a statement into tokens, without the blanks between them. An unterminated literal, quoted
// name or comment extends to the end of the text.
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
    size_t start, end;  // offsets; quotes and prefixes (x'…', _utf8'…') are included
};

struct SqlSyntax {
    Dialect dialect = Dialect::Mysql;
    // Does a backslash escape in a plain string? By default it does in MySQL, but not in
    // PostgreSQL; both can be configured.
    bool escapes = dialect == Dialect::Mysql;
};

std::vector<SqlToken> sql_tokens(std::string_view text, const SqlSyntax &syntax);

}  // namespace uscope::db
