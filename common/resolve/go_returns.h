// The places of a return probe on a Go function: its return instructions (go/returns.h says why).
#pragma once

#include <string>
#include <vector>

#include "elf/functions.h"

namespace uscope::resolve {

// Can returns be traced in this Go program at all? Else why not, and the way out. `path`: for
// errors.
Result<> check_go_returns(const elf::Image &image, const std::string &path);

// Where `function` of such a program returns, in the file; at least one place. Errors say why that
// is not known, or not all of it.
Result<std::vector<uint64_t>> go_returns(const elf::Image &image, const std::string &path,
                                         const elf::Function &function);

}  // namespace uscope::resolve
