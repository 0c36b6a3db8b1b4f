// Where CPython has the frames of Python's functions.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it the name of its program or library? python3.11, libpython3.11.so.1.0
bool is_python(std::string_view file_name);
// 3.7 to 3.15, with the global lock. Nothing: another one, or no interpreter (a program that has it in a library).
std::optional<Interpreter> find_python_frames(const elf::Image &image, const elf::Frames &frames,
                                              std::string_view file_name,
                                              std::string *unknown = nullptr);

}  // namespace uscope::lang
