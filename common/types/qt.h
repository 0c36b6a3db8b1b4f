// The QString of Qt, for programs without debug information.
#pragma once

#include "types/type.h"

namespace uscope::types {

// Returns the type of the QString of Qt 5 or 6, whose layouts differ; for other versions, a
// structure without members and size, whose name says so.
TypeRef qt_text_type(unsigned version);

}  // namespace uscope::types
