// Finds the file that a user means by a word: "c", "pthread", "libssl.so.3", "redis-server",
// "/usr/bin/x".
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
    std::string path;       // for messages
    std::string open_path;  // for us and for the kernel: may go through /proc/PID/root or map_files
    std::string root = {};  // "" or "/proc/PID/root": where to look for its debug files
};

// Where to look; the defaults are those of this machine.
struct SearchPaths {
    std::string proc = "/proc";
    std::string cache = "/etc/ld.so.cache";
    std::vector<std::string> folders = {"/lib64", "/usr/lib64", "/lib", "/usr/lib",
                                        "/usr/local/lib"};
    std::string path = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
};

// A name with a slash is a path. With `pid`: the file that the process maps under that path, even
// if the path leads to another file by now; else the path below the root of `pid`, where symbolic
// links are followed as the process would. A relative path always means our own file.
// Any other name with `pid`, among the executable mappings of the process: the file NAME,
// libNAME.so* or NAME.so* ("c" is ld-musl-ARCH.so.1 in musl); the file that a link NAME in the same
// directory leads to (libz.so.1 for libz.so.1.2.13); or the process's executable, if it was started
// as NAME through a link. If the process maps no such file, that is an error: a probe on a file
// with the same name elsewhere would not fire.
// Any other name without `pid`: libNAME.so*, NAME.so* or NAME in ld.so.cache and the standard
// library directories, else an executable NAME in $PATH. Errors say what was looked for and where,
// and suggest similar names.
Result<FoundFile> find_file(std::string_view name, std::optional<pid_t> pid = {},
                            const SearchPaths &places = {});

}  // namespace uscope::proc
