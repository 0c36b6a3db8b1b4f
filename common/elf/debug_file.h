// Finds the separate debug file of a stripped file, and the symbols embedded in .gnu_debugdata.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// Returns the path of the separate debug file of `image`, or nullopt if there is none. `path` is
// the image's own path. The candidates, all under `root`: /usr/lib/debug/.build-id/NN/REST.debug,
// then the name in .gnu_debuglink: next to the file, in .debug/ and in /usr/lib/debug/DIR/. If
// `root` is given, `path` may also be one in our own mount namespace, as in the maps of a process
// in a chroot; its folder is then also searched without `root`. A candidate counts only if it has
// the same build-id (or, if the image has none, the CRC of the link).
std::optional<std::string> find_debug_file(const Image &image, const std::string &path,
                                           const std::string &root = "");

// Returns the decompressed ELF file in .gnu_debugdata ("MiniDebugInfo"), or nullopt if there is
// none, it is damaged, or it is larger than 64 MB.
std::optional<std::string> mini_debug_info(const Image &image);

}  // namespace uscope::elf
