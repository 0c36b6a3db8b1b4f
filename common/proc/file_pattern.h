// Files by a pattern of their names: "/usr/bin/python3*", "libssl*", "*".
#pragma once

#include "proc/library.h"

namespace uscope::proc {

// With a slash: the files at such paths, of which `pid`, if one is given, maps them; a relative path is
// always ours. Else, with `pid`: the files of such names that it maps. Else libraries of such names in
// ld.so.cache, and executables in $PATH; "*" alone is an error then. Which of them are programs or
// libraries is not looked at. None is no error.
Result<std::vector<FoundFile>> match_files(std::string_view pattern, std::optional<pid_t> pid = {},
                                           const SearchPlaces &places = {});

// Libraries NAME.so that are in no library folder: those of JVMs ("libjvm.so", "jvm"), and what running
// processes map. A file may be there by several names.
std::vector<FoundFile> find_unlisted(std::string_view name);

}  // namespace uscope::proc
