// Handles names that are too long for a key.
//
// If a runtime stores each name once and passes its length - a JVM: "str(arg2, arg3)" - the program
// adds the name's address to the key, or 0 if the name fits. So two long names with the same
// beginning are two keys, and the whole name can be read from the process at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "probe/request.h"

namespace uscope::runtimes {

// For each value that is a text with a length, adds a value with the text's address. The name
// of the new value is that of the text and " at". `string_bytes`: bytes of a name in the key.
Result<> distinguish(probe::ProbeRequest &probe, uint32_t string_bytes);

// Returns the `length` bytes at `address` from the first process where they start with `beginning`,
// or nullopt if there is none.
std::optional<std::string> whole_name(const std::vector<pid_t> &pids, uint64_t address,
                                      uint32_t length, std::string_view beginning);

}  // namespace uscope::runtimes
