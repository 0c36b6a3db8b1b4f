// Converts DWARF's types to those of the expression language.
#pragma once

#include <memory>

#include "dwarf/session.h"
#include "types/type.h"

namespace uscope::dwarf {

// nullopt, or an entry that is not a type, becomes void. Types that the language cannot compute
// with (16-byte integers, long double, complex numbers) become structures without members. Never
// returns null.
types::TypeRef make_type(const std::shared_ptr<Session> &session, std::optional<Dwarf_Die> type);

}  // namespace uscope::dwarf
