// Counts the statements in a text.
#pragma once

#include <cstddef>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

// Counts statements that are separated by semicolons. Those in the body of a procedure are a part
// of its CREATE. Returns at least 1.
size_t statement_count(std::string_view text, Dialect dialect);

}  // namespace uscope::db
