// What a file's dynamic section says of other files.
#pragma once

#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// The libraries it asks for (DT_NEEDED), by the names it uses: "libruby-3.1.so.3.1". Empty for a
// static program.
std::vector<std::string> needed_libraries(const Image &image);

// Where the dynamic linker puts the address that the resolver at `resolver` chooses
// (R_*_IRELATIVE): the addresses of 8-byte words. None when the file itself never calls that
// function, or is static.
std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver);

}  // namespace uscope::elf
