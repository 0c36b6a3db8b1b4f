// Processes whose code is another program's data: a breakpoint in what they read would change what they do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "proc/maps.h"

namespace uscope::proc {

// "valgrind", "qemu-user" …: what translates, records or rewrites the code that the process has mapped. `executable` is
// its program's path. Nothing: none is known.
std::optional<std::string_view> instrumenter(std::string_view executable,
                                             const std::vector<Mapping> &mappings);
// Is a library of this name (without folders) the sign of one?
bool is_instrumenting_library(std::string_view name);

}  // namespace uscope::proc
