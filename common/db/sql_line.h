// A statement in one line, as SQL that means the same: it can be copied back.
//
//   select 'O\'Brien',      ->   select 'O\'Brien', 2 /* two */ from t where a = 'x\ny'
//       2 -- two
//   from t where a = 'x
//   y'
//
// Safe for a terminal. Other control characters, and bytes that are no text, are \xNN, which is no SQL.
#pragma once

#include <string>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

std::string sql_line(std::string_view text, Dialect dialect);

}  // namespace uscope::db
