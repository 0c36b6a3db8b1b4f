// How many statements a text holds.
#pragma once

#include <cstddef>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

// Of those that are separated by a ;. The body of a procedure belongs to its CREATE. At least 1.
size_t statement_count(std::string_view text, Dialect dialect);

}  // namespace uscope::db
