// Recognises processes in which code is also data, because a program there translates, records or
// rewrites it: a breakpoint in such code would change what that program does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "proc/maps.h"

namespace uscope::proc {

// Returns the name of the program or library that translates, records or rewrites the code in the
// process ("valgrind", "qemu-user" …), or nullopt if no known one does. `executable` is the path of
// the process's program, `mappings` is what the process has mapped.
std::optional<std::string_view> instrumenter(std::string_view executable,
                                             const std::vector<Mapping> &mappings);
// Does a library with this file name (without directories) belong to such a program?
bool is_instrumenting_library(std::string_view name);

}  // namespace uscope::proc
