// Finds the separate debug file of a stripped program or library, and reads the symbol table that
// Fedora embeds in the section .gnu_debugdata.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// Returns the path of the separate debug file of `image`, or nullopt if none exists. `path` is the
// image's own path, as seen in `root` ("/proc/PID/root" for another mount namespace; "": our own).
// The function tries /usr/lib/debug/.build-id/NN/REST.debug, where NN are the first two digits of
// the build-id; then the file name in .gnu_debuglink, in the image's own folder, in .debug/ below
// that, and in /usr/lib/debug/ + that folder. All of these are in `root`. The maps of a process in
// a chroot may show paths of our own mount namespace, so the image's folder and its .debug/ are
// also tried without `root`. The debug file must have the same build-id as the image; or, if the
// image has none, the CRC that .gnu_debuglink contains.
std::optional<std::string> find_debug_file(const Image &image, const std::string &path,
                                           const std::string &root = "");

// Returns the paths that find_debug_file() tries, in this order, each with the reason why the file
// there is not the debug file of `image`; the last one has no reason if it is that file.
struct DebugFileAttempt {
    std::string path;
    std::string refusal;  // "does not exist", "has another build-id"; "": this is the file
};
std::vector<DebugFileAttempt> try_debug_files(const Image &image, const std::string &path,
                                              const std::string &root = "");

// Returns the ELF file that .gnu_debugdata contains in compressed form ("MiniDebugInfo"). Returns
// nullopt if there is no such section, it is damaged, or the ELF file is larger than 64 MB.
std::optional<std::string> mini_debug_info(const Image &image);

}  // namespace uscope::elf
