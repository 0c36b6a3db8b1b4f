// Where PHP (Zend) has the frames of PHP's functions.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it the name of its program or library? php8.2, php-fpm8.2, libphp8.2.so
bool is_php(std::string_view file_name);
// 7.4 to 8.4, not thread-safe (NTS), as nearly all are. Nothing: another one, or no interpreter.
std::optional<Interpreter> find_php_frames(const elf::Image &image, const elf::Frames &frames,
                                           std::string *unknown = nullptr);

}  // namespace uscope::lang
