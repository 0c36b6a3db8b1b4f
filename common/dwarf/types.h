// Converts types in DWARF to types of the expression language.
#pragma once

#include <memory>

#include "dwarf/session.h"
#include "types/type.h"

namespace uscope::dwarf {

// Never returns null. Returns void for nullopt and for an entry that is not a type. Types that the
// expression language does not support (16-byte integers, long double, complex numbers) become
// structures without members. The result keeps the session alive.
types::TypeRef make_type(const std::shared_ptr<Session> &session, std::optional<Dwarf_Die> type);

}  // namespace uscope::dwarf
