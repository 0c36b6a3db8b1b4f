// Writes a statement in one line, as SQL with the same meaning, which can be pasted into a client.
//
//   select 'O\'Brien',      ->   select 'O\'Brien', 2 /* two */ from t where a = 'x\ny'
//       2 -- two
//   from t where a = 'x
//   y'
//
// PostgreSQL's strings '…' and $$…$$ become E'…' if they contain a line end. A string U&'…' with a
// line end gets the same \n, but this is not valid SQL.
//
// Safe for a terminal. Other control characters and invalid bytes become \xNN, which is not valid
// SQL.
#pragma once

#include <string>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

std::string sql_line(std::string_view text, Dialect dialect);

}  // namespace uscope::db
