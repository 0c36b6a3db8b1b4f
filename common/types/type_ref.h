// A type of the expression language, by reference (types/type.h).
#pragma once

#include <memory>

namespace uscope::types {

struct Type;
using TypeRef = std::shared_ptr<const Type>;

}  // namespace uscope::types
