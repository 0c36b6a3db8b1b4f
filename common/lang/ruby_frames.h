// Where Ruby has the frames of Ruby's methods and blocks.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it the name of its library? libruby-3.1.so.3.1.2, libruby.so.3.3.8
bool is_ruby(std::string_view file_name);
// 2.7, 3.1 and 3.3. Nothing: another one, or no interpreter.
std::optional<Interpreter> find_ruby_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown = nullptr);

}  // namespace uscope::lang
