// From the word a person types - "c", "pthread", "libssl.so.3", "redis-server", "/usr/bin/x" - to a
// file.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

struct FoundFile {
    std::string path;       // for people
    std::string open_path;  // for us and for the kernel: may go through /proc/PID/root or map_files
    std::string root = {};  // "" or "/proc/PID/root": where its debug files are looked up
};

// Where to look; the defaults are this machine's.
struct SearchPlaces {
    std::string proc = "/proc";
    std::string cache = "/etc/ld.so.cache";
    std::vector<std::string> folders = {"/lib64", "/usr/lib64", "/lib", "/usr/lib",
                                        "/usr/local/lib"};
    std::string path = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
};

// With a slash: what `pid` maps under that path (also when the path leads elsewhere by now), else
// that path through the root of `pid` if one is given, symbolic links followed there; a relative
// path is always ours.
// Else, with `pid`: the file NAME, libNAME.so* or NAME.so* among its executable mappings (of musl,
// "c" is ld-musl-ARCH.so.1), the one that a link NAME beside it leads to (libz.so.1 of
// libz.so.1.2.13), or its executable when it runs as NAME through a link. What the process does not
// map is an error, never the same name elsewhere: a probe there would not fire.
// Else libNAME.so*, NAME.so* or NAME in ld.so.cache and the standard library folders, else an
// executable NAME in $PATH. Errors say what was looked for and where, and list near names.
Result<FoundFile> find_file(std::string_view name, std::optional<pid_t> pid = {},
                            const SearchPlaces &places = {});

}  // namespace uscope::proc
