// Runtimes that tell nothing of what their programs do, by the names of their files: so that it is said what does work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/maps.h"

namespace uscope::lang {

struct Unsupported {
    const char *title;
    std::vector<const char *> executables, libraries;  // shell patterns
    const char *advice;                                // what does work
    const char *allocator;  // whose blocks malloc() does not tell of; null: it uses malloc()
};

// Null: it is none of these. `executable`: the name of its file.
const Unsupported *find_unsupported(std::string_view executable,
                                    const std::vector<proc::MappedObject> &objects);

}  // namespace uscope::lang
