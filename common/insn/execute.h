// Which instructions a program can execute in the kernel's place (attach/execute.h).
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::insn {

// How the instruction at the start of `code` is executed, as bpf/lib/execute.h says but for its place.
// Nothing: the kernel emulates it, or is left to single-step it. `may_return`: returns as well.
std::optional<uint64_t> execution(Bytes code, bool may_return);

}  // namespace uscope::insn
