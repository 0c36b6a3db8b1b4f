// Where Perl has the frames of Perl's functions.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it the name of its program or library? perl, perl5.36.0, libperl.so.5.36
bool is_perl(std::string_view file_name);
// 5.32, 5.36 and 5.40 with threads, as Debian has them. Nothing: another one, or no interpreter.
std::optional<Interpreter> find_perl_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown = nullptr);

}  // namespace uscope::lang
