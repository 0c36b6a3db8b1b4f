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
    std::string open_path;  // to open the file; may be below /proc/PID/root or /proc/PID/map_files
    std::string root = {};  // "" or "/proc/PID/root": look for the file's debug files below it
};

// Where find_file() searches. Tests replace the defaults.
struct SearchPaths {
    std::string proc = "/proc";
    std::string cache = "/etc/ld.so.cache";
    std::vector<std::string> folders = {"/lib64", "/usr/lib64", "/lib", "/usr/lib",
                                        "/usr/local/lib"};
    std::string path = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
};

// A name with a slash is a path. With `pid`, finds the file that the process maps under that path,
// even if the path leads to another file by now; if it maps no such file, finds the path below the
// root directory of `pid`, and follows symbolic links as that process would. A relative path always
// means a file as this process sees it.
//
// For any other NAME with `pid`, searches the files whose code the process maps, for:
//  - a file NAME, libNAME.so* or NAME.so* ("c" also means ld-musl-ARCH.so.1, musl's C library);
//  - a file that has a symbolic link NAME beside it (libz.so.1 points to libz.so.1.2.13);
//  - the process's executable, if the process was started as NAME through a link.
// If the process maps no such file, that is an error: a probe on a file with the same name
// elsewhere would not fire in this process.
//
// For any other NAME without `pid`, finds libNAME.so*, NAME.so* or NAME in ld.so.cache or in the
// standard library directories, otherwise an executable NAME in $PATH. Errors name what was looked
// for and where, and suggest similar names.
Result<FoundFile> find_file(std::string_view name, std::optional<pid_t> pid = {},
                            const SearchPaths &search = {});

}  // namespace uscope::proc
