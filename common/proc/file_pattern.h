// Finds files by a pattern of their names: "/usr/bin/python3*", "libssl*", "*".
#pragma once

#include "proc/library.h"

namespace uscope::proc {

// A pattern with a slash matches paths: those of files that the process `pid` maps or, without
// `pid` or if the pattern is relative, those of all files that this process sees. A pattern without
// a slash matches file names: those of files that `pid` maps or, without `pid`, those of libraries
// in ld.so.cache and of files in the directories of $PATH; "*" without `pid` is an error. Does not
// check whether the files are programs or libraries. It is no error if no file matches.
Result<std::vector<FoundFile>> match_files(std::string_view pattern, std::optional<pid_t> pid = {},
                                           const SearchPaths &search_paths = {});

// Finds the library `name` ("libjvm.so"; "jvm" means the same) outside the library directories: in
// JVMs' directories below /usr/lib/jvm, and among the files that running processes map. Returns
// each file once.
std::vector<FoundFile> find_unlisted(std::string_view name);

}  // namespace uscope::proc
