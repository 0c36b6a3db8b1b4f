// What a file's dynamic section says of other files.
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// The libraries it asks for (DT_NEEDED), by the names it uses: "libruby-3.1.so.3.1". Empty for a
// static program.
std::vector<std::string> needed_libraries(const Image &image);

}  // namespace uscope::elf
