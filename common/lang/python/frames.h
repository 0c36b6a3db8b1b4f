// Finds the frames of functions written in Python (CPython).
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it a name of the interpreter or its library? python3.11, libpython3.11.so.1.0
bool is_python(std::string_view file_name);
// Knows 3.7 to 3.15 with the global lock. Returns nullopt for others (then sets `unknown`), and for
// files without the interpreter, such as a program that has it in a library.
std::optional<Interpreter> find_python_frames(const elf::Image &image, const elf::Frames &frames,
                                              std::string_view file_name,
                                              std::string *unknown = nullptr);

}  // namespace uscope::lang
