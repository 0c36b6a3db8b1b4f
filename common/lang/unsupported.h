// Runtimes that do not report what their programs do, recognized by file names or, if they are
// linked into programs, by a text. For these, errors suggest what works instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "proc/maps.h"

namespace uscope::lang {

struct Unsupported {
    const char *title;
    std::vector<const char *> executables, libraries;  // shell patterns
    const char *advice;                                // what works instead
    const char *allocator;  // used instead of malloc(); null: malloc() is used
    // What makes its machine code at run time, as in "[unknown: LuaJIT]"; null: it has none.
    const char *compiler = nullptr;
    // Why stacks have no names of its functions, and what would help.
    const char *unnamed = nullptr;
    // Why stacks lack functions between the innermost one and the runtime; null: they do not.
    const char *missing = nullptr;
    const char *text = nullptr;  // which programs contain that it is linked into
};

// Returns null if the process runs none of these. `executable`: the file name of its executable.
const Unsupported *find_unsupported(std::string_view executable,
                                    const std::vector<proc::MappedObject> &objects);
// Returns null unless a file with this name is such a program or library.
const Unsupported *find_unsupported(std::string_view file_name);
// Returns null unless such a runtime is linked into the program, which may be stripped.
const Unsupported *find_unsupported(const elf::Image &program);

}  // namespace uscope::lang
