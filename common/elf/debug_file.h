// Finds the separate debug file of a stripped program or library, and reads the symbol table that
// Fedora embeds in the section .gnu_debugdata.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// One path where a debug file may be, and why the file there is not the debug file of an image:
// "does not exist", "has another build-id"; "": it is.
struct DebugFileAttempt {
    std::string path;
    std::string refusal;
};

// May the search download a file? It waits for that.
enum class Download : bool { No, Yes };

// Where else debug files are searched. Changed only before files are opened.
struct DebugSources {
    // Folders that are laid out like /usr/lib/debug, or that have the file of .gnu_debuglink.
    std::vector<std::string> folders;
    // Returns what servers of debug files, and their caches, have for this image, as
    // try_debug_files() does; null: there are none.
    std::function<std::vector<DebugFileAttempt>(const Image &, const std::string &path, Download)>
        servers;
    // How the user may ask for another source: "--debuginfod URL asks a server"; "": he cannot.
    std::string hint;
};
DebugSources &debug_sources();

// Returns the path of the separate debug file of `image`, or nullopt if none exists. `path` is the
// image's own path, as seen in `root` ("/proc/PID/root" for another mount namespace; "": our own).
// The function tries the folders of debug_sources(), which are not in `root`;
// /usr/lib/debug/.build-id/NN/REST.debug, where NN are the first two digits of the build-id; then
// the file name in .gnu_debuglink, in the image's own folder, in .debug/ below that, and in
// /usr/lib/debug/ + that folder. All of these are in `root`. The maps of a process in a chroot may
// show paths of our own mount namespace, so the image's folder and its .debug/ are also tried
// without `root`. Last are the servers. The debug file must have the same build-id as the image;
// or, if the image has none, the CRC that .gnu_debuglink contains.
std::optional<std::string> find_debug_file(const Image &image, const std::string &path,
                                           const std::string &root = "",
                                           Download download = Download::No);

// Returns the paths that find_debug_file() tries, in this order; the last one has no refusal if it
// is the debug file.
std::vector<DebugFileAttempt> try_debug_files(const Image &image, const std::string &path,
                                              const std::string &root = "",
                                              Download download = Download::No);

// Says where a debug file was searched in vain: "build-id 43ab…; /usr/lib/debug/… does not exist;
// --debuginfod URL asks a server". "" if there is nothing to say.
std::string describe_debug_search(const Image &image, const std::string &path,
                                  const std::string &root, Download download);

// Returns why the file at `path` is not the debug file with this build-id; "" if it is.
std::string check_debug_file(const std::string &path, const std::string &build_id);

// Returns the ELF file that .gnu_debugdata contains in compressed form ("MiniDebugInfo"). Returns
// nullopt if there is no such section, it is damaged, or the ELF file is larger than 64 MB.
std::optional<std::string> mini_debug_info(const Image &image);

}  // namespace uscope::elf
