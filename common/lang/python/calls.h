// Finds code of CPython's interpreter that runs once per call of a function written in Python, for
// versions and builds whose probes do not report calls.
#pragma once

#include "elf/image.h"
#include "lang/language.h"

namespace uscope::lang {

// Returns the sites by the names of bytecode instructions. Returns no sites for versions other than
// 3.11 to 3.15, other machines than x86-64, builds without the global lock, and code in which the
// sites are not found.
CodeSites find_python_calls(const elf::Image &image, const Version &version);

}  // namespace uscope::lang
