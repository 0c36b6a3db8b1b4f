// Says where functions of a Go program keep the current goroutine, for BPF programs
// (go/goroutine.h).
#pragma once

#include <optional>

#include "elf/image.h"
#include "expr/scope.h"

namespace uscope::resolve {

// Returns the word at `offset` in its runtime.g; without `offset`, its address. Errors: why
// the location is not known.
Result<expr::Variable> go_goroutine(const elf::Image &image, std::optional<uint64_t> offset = {});

}  // namespace uscope::resolve
