// What may follow half a probe: for the completion of command lines in shells.
//
// Reads files and lists only: attaches nothing, and needs no privileges for functions of files that
// the user may read. There are no errors: a file that does not exist, or cannot be read, gives no
// candidates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace uscope::resolve {

struct Candidate {
    std::string text;  // replaces the whole word
    std::string description = {};
    bool is_whole = true;  // false: more has to follow, as after "c:" or "/usr/"

    auto operator<=>(const Candidate &) const = default;
};
using Candidates = std::vector<Candidate>;

// Each of these returns the candidates that start with `typed`, sorted. `pid`: the process of -p,
// whose files are meant.

// Kinds, files, functions, USDT probes and tracepoints of a location (spec/probe.cpp). None if the
// location has ended: after "c:open (arg2" or 'c:open "'.
Candidates probe_candidates(std::string_view typed, std::optional<pid_t> pid);
// Names of libraries and of programs in $PATH; with `pid` those of files that the process maps.
Candidates library_candidates(std::string_view typed, std::optional<pid_t> pid);
// The libraries' names, for an option that takes a file or a library.
std::vector<std::string> library_names();
// Names of the functions of a file.
Candidates function_candidates(std::string_view file, std::string_view typed,
                               std::optional<pid_t> pid);
// PROVIDER:PROBE of a file, or of all files that the process maps if `file` is empty.
Candidates usdt_candidates(std::string_view file, std::string_view typed, std::optional<pid_t> pid);
// CATEGORY:EVENT; as long as there is no colon, only categories.
Candidates tracepoint_candidates(std::string_view typed);

}  // namespace uscope::resolve
