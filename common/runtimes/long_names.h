// Names that are longer than the place that a key has for them.
//
// Where a runtime keeps each name once and tells how long it is - a JVM: "str(arg2, arg3)" - the
// program adds to the key where the name is, and 0 for one that fits. So two long names that begin
// alike are two keys, and the whole of a name can be read from the process at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "probe/request.h"

namespace uscope::runtimes {

// Adds such values to those of the probe that are texts with a length. Their value_texts are those
// of the texts with " at".
Result<> tell_apart(probe::ProbeRequest &probe, uint32_t string_bytes);

// The `length` bytes at `address` in the first process where they begin so. Nothing: in none.
std::optional<std::string> whole_name(const std::vector<pid_t> &pids, uint64_t address,
                                      uint32_t length, std::string_view beginning);

}  // namespace uscope::runtimes
