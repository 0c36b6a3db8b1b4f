// Finds the files that a program will map when it starts.
#pragma once

#include <string>
#include <vector>

#include "probe/request.h"

namespace uscope::probe {

// Returns the program, the libraries in LD_PRELOAD, the libraries that these need, and the dynamic
// linker (musl's is the C library), in the order in which the dynamic linker searches for symbols.
// Skips libraries that cannot be found or read.
std::vector<std::string> files_of_program(const std::string &program);

// For each USDT probe without a file (u::NAME), sets the file to the first of the program's files
// that has the probe. If none has it, sets the program's own file, so that the error names that.
void name_files(std::vector<ProbeRequest> &probes, const std::string &program);

}  // namespace uscope::probe
