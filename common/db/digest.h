// Statements that differ in their values only, as one.
//
// (The implementation file says what becomes of a statement.)
#pragma once

#include <string>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

// "SELECT * FROM t WHERE a=1 AND b IN (2,3)" -> "select * from t where a = ? and b in (?+)". Cut to
// `most_bytes`. Whatever the bytes are: what cannot be understood stays as it is.
std::string digest(std::string_view statement, Dialect dialect = Dialect::Mysql,
                   size_t most_bytes = 2048);

}  // namespace uscope::db
