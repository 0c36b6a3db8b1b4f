// Finds files by a pattern of their names: "/usr/bin/python3*", "libssl*", "*".
#pragma once

#include "proc/library.h"

namespace uscope::proc {

// With a slash: files with matching paths; with `pid`, only those that it maps. A relative path
// always means our own files. Without a slash: with `pid`, the files with matching names that it
// maps; else matching libraries in ld.so.cache and executables in $PATH, and "*" alone is an error.
// Does not check whether files are programs or libraries. Finding none is not an error.
Result<std::vector<FoundFile>> match_files(std::string_view pattern, std::optional<pid_t> pid = {},
                                           const SearchPaths &places = {});

// Libraries NAME.so outside the library directories: those of JVMs ("libjvm.so", "jvm"), and those
// that running processes map. The same file may be found under several names.
std::vector<FoundFile> find_unlisted(std::string_view name);

}  // namespace uscope::proc
