// Hides passwords in SQL statements.
//
// (secrets.cpp lists which forms are recognized.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace uscope::db {

// "alter user u identified by 'x'" -> "alter user u identified by '<secret>'". Returns nullopt if
// the text has no secrets. `text` may be the beginning of a statement.
std::optional<std::string> without_secrets(std::string_view text);

}  // namespace uscope::db
