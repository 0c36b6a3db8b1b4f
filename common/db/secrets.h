// Statements without the passwords in them.
//
// (The implementation file says which are found.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace uscope::db {

// "alter user u identified by 'x'" -> "alter user u identified by '<secret>'". Nothing: there are none.
// `text` may be the beginning of a statement.
std::optional<std::string> without_secrets(std::string_view text);

}  // namespace uscope::db
