// How the values of an event are shown.
#pragma once

#include <cstdint>

namespace uscope::expr {

// The kind of value that the format specifier needs (%d, %f, %s). Natural: there is no format
// specifier, so the value's type decides.
// Hexadecimal (%x): an integer, or the bytes of buf().
// Whole (%v): as Natural, but a pointer to a structure shows the structure.
enum class ValueForm : uint8_t { Natural, Integer, Float, String, Hexadecimal, Whole };

}  // namespace uscope::expr
