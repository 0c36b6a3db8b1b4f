// Says which instructions a BPF program can execute in place of the kernel (attach/execute.h).
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::insn {

// Returns how to execute the instruction at the start of `code`, encoded as in bpf/shared/execute.h
// but without the instruction's address. Returns nullopt if the kernel emulates the instruction or
// has to single-step it. `may_return`: also encode return instructions.
std::optional<uint64_t> execution(Bytes code, bool may_return);

}  // namespace uscope::insn
