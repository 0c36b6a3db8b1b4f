// Finds the frames of functions written in Perl.
#pragma once

#include <optional>
#include <string_view>

#include "lang/interpreter.h"

namespace uscope::lang {

// Is it a name of the interpreter or its library? perl, perl5.36.0, libperl.so.5.36
bool is_perl(std::string_view file_name);
// Knows 5.32, 5.36 and 5.40 with threads, as in Debian. Returns nullopt for other versions (then
// sets `unknown`), and for files without the interpreter.
std::optional<Interpreter> find_perl_frames(const elf::Image &image, const elf::Frames &frames,
                                            std::string *unknown = nullptr);

}  // namespace uscope::lang
