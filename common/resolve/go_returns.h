// Finds the sites of a return probe on a Go function. They are its return instructions;
// go/returns.h says why.
#pragma once

#include <string>
#include <vector>

#include "elf/functions.h"

namespace uscope::resolve {

// Checks whether returns can be traced in this Go program at all. Errors say why not, and name an
// alternative. `path`: the file's name in errors.
Result<> check_go_returns(const elf::Image &image, const std::string &path);

// Returns the file offsets of the return instructions of `function`; at least one. Errors say why
// some of them are unknown.
Result<std::vector<uint64_t>> go_returns(const elf::Image &image, const std::string &path,
                                         const elf::Function &function);

}  // namespace uscope::resolve
