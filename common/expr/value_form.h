// How the values of an event are shown.
#pragma once

#include <cstdint>

namespace uscope::expr {

// The kind of value that the format specifier needs (%d, %f, %s). Natural: there is no format
// specifier, so the value's type decides.
enum class ValueForm : uint8_t { Natural, Integer, Float, String };

}  // namespace uscope::expr
