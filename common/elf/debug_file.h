// Where a stripped file's symbols and DWARF are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// The separate debug file of `image`, whose own path is `path`, looked for under `root`:
// /usr/lib/debug/.build-id/NN/REST.debug, then .gnu_debuglink beside the file, in .debug/ and in
// /usr/lib/debug/DIR/. A path of ours, as the maps of a process in a chroot have it, is looked at as it is, too. Only
// one that carries the same build-id (or, without one, the link's CRC) counts.
std::optional<std::string> find_debug_file(const Image &image, const std::string &path,
                                           const std::string &root = "");

// The decompressed ELF in .gnu_debugdata ("MiniDebugInfo"), if there is one; bounded in size.
std::optional<std::string> mini_debug_info(const Image &image);

}  // namespace uscope::elf
