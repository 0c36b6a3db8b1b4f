// Declares references to types, for headers that do not need types/type.h.
#pragma once

#include <memory>

namespace uscope::types {

struct Type;
using TypeRef = std::shared_ptr<const Type>;

}  // namespace uscope::types
