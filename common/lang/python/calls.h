// Finds code of CPython's interpreter that runs once per call of a function written in Python, for
// versions and builds whose probes do not report calls.
#pragma once

#include "elf/image.h"
#include "lang/language.h"

namespace uscope::lang {

// Returns the sites by the names of bytecode instructions. Empty: not a version from 3.11 to 3.15,
// not x86-64, a build without the global lock, or code in which the sites are not found.
CodeSites find_python_calls(const elf::Image &image, const Version &version);

}  // namespace uscope::lang
