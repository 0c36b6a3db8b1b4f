// Where CPython's interpreter passes at each call of a function that is written in Python: for the
// versions, and the builds, whose probes do not tell.
#pragma once

#include "elf/image.h"
#include "lang/language.h"

namespace uscope::lang {

// By the names of bytecode instructions. None: another version than 3.11 to 3.15, another processor
// than x86-64, a build without the global lock, or code in which they are not found.
CodeSites find_python_calls(const elf::Image &image, const Version &version);

}  // namespace uscope::lang
