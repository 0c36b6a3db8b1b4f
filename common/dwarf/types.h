// DWARF's types as those of the expression language.
#pragma once

#include <memory>

#include "dwarf/session.h"
#include "types/type.h"

namespace uscope::dwarf {

// Nothing or an entry that is no type: void. What the language cannot compute with (16-byte
// integers, long double, complex numbers) becomes a structure without members. Never null.
types::TypeRef make_type(const std::shared_ptr<Session> &session, std::optional<Dwarf_Die> type);

}  // namespace uscope::dwarf
