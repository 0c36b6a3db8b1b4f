// Recognises processes whose code is another program's data: a breakpoint in it would change what
// that program does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "proc/maps.h"

namespace uscope::proc {

// The name of what translates, records or rewrites the code that the process has mapped:
// "valgrind", "qemu-user" …; nullopt if there is no known one. `executable`: the path of the
// process's program.
std::optional<std::string_view> instrumenter(std::string_view executable,
                                             const std::vector<Mapping> &mappings);
// Is a library with this name (without directories) part of one?
bool is_instrumenting_library(std::string_view name);

}  // namespace uscope::proc
