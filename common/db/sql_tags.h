// Tags that programs add to their statements in comments (sqlcommenter):
//
//     SELECT 1 /*controller='shops',route='%2Fa'*/
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "db/sql_lexer.h"

namespace uscope::db {

// Returns the decoded value of the last tag of that name; nullopt if no comment has it.
std::optional<std::string> sql_tag(std::string_view statement, std::string_view name,
                                   Dialect dialect);

}  // namespace uscope::db
