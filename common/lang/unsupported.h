// Runtimes that do not report what their programs do, recognized by file names. For these, errors
// suggest what works instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/maps.h"

namespace uscope::lang {

struct Unsupported {
    const char *title;
    std::vector<const char *> executables, libraries;  // shell patterns
    const char *advice;                                // what works instead
    const char *allocator;  // used instead of malloc(); null: malloc() is used
};

// Returns null if the process runs none of these. `executable`: the file name of its executable.
const Unsupported *find_unsupported(std::string_view executable,
                                    const std::vector<proc::MappedObject> &objects);

}  // namespace uscope::lang
