// Finds the frames of methods and blocks written in Ruby.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it a name of the library with the interpreter? libruby-3.1.so.3.1.2, libruby.so.3.3.8
bool is_ruby(std::string_view file_name);
// Knows 2.7, 3.1 and 3.3. Returns nullopt for others (then sets `unknown`), and for files without
// the interpreter.
std::optional<Interpreter> find_ruby_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown = nullptr);

}  // namespace uscope::lang
