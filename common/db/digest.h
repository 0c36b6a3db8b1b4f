// Digests: the common form of statements that differ only in their values.
//
// (digest.cpp lists the replacements.)
#pragma once

#include <string>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

// "SELECT * FROM t WHERE a=1 AND b IN (2,3)" -> "select * from t where a = ? and b in (?+)". Cut to
// `max_bytes`. Accepts any bytes; leaves what it cannot parse unchanged.
std::string digest(std::string_view statement, Dialect dialect = Dialect::Mysql,
                   size_t max_bytes = 2048);

}  // namespace uscope::db
