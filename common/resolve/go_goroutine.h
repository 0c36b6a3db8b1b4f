// Where functions of a Go program have the goroutine that runs, for programs in the kernel
// (go/goroutine.h).
#pragma once

#include <optional>

#include "elf/image.h"
#include "expr/scope.h"

namespace uscope::resolve {

// What lies `behind` so many bytes in its runtime.g; nothing: its address. Errors: where it is is
// not known, and why.
Result<expr::Variable> go_goroutine(const elf::Image &image, std::optional<uint64_t> behind = {});

}  // namespace uscope::resolve
