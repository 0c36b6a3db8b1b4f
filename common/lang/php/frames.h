// Finds the frames of functions written in PHP (Zend).
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it a name of the interpreter or its library? php8.2, php-fpm8.2, libphp8.2.so
bool is_php(std::string_view file_name);
// Knows 7.4 to 8.4 without thread safety (NTS), as nearly all builds are. Returns nullopt for
// others (then sets `unknown`), and for files without the interpreter.
std::optional<Interpreter> find_php_frames(const elf::Image &image, const elf::Frames &frames,
                                           std::string *unknown = nullptr);

}  // namespace uscope::lang
