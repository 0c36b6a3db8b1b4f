// The files of a program that does not run yet.
#pragma once

#include <string>
#include <vector>

#include "probe/request.h"

namespace uscope::probe {

// The program, what LD_PRELOAD names, the libraries that these ask for, and the dynamic linker, which is musl's C library:
// in the order in which the dynamic linker looks for a symbol. What cannot be found or read is left out, but for the program itself.
std::vector<std::string> files_of_program(const std::string &program);

// Gives probes without a file (u::NAME) that of the program, or the library of those it asks for, that has it. Where none
// has, it is the program's, so that errors name that.
void name_files(std::vector<ProbeRequest> &probes, const std::string &program);

}  // namespace uscope::probe
