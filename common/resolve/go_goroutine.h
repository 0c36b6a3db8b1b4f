// Says where a BPF program finds the current goroutine when a function of a Go program runs
// (go/goroutine.h).
#pragma once

#include <optional>

#include "elf/image.h"
#include "expr/scope.h"

namespace uscope::resolve {

// Returns where the word at `offset` of the goroutine's struct runtime.g is; without `offset`,
// where the address of this struct is. Errors say why that is not known.
Result<expr::Variable> go_goroutine(const elf::Image &image, std::optional<uint64_t> offset = {});

}  // namespace uscope::resolve
