// Where a probe on a function's entry goes when no uprobe can be on the function's first instruction.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace uscope::insn {

struct Entry {
    uint64_t offset;       // of the next instruction that a uprobe can be on
    bool keeps_arguments;  // what is passed changes no register that may hold an argument
};

// The offset from the function's start behind what moves or compares only vector registers. Nothing
// when something else is before it. `text` is all code that may branch into the function, which is
// `size` bytes from `start`: nothing either when a branch leads behind what is passed, or may, so
// that the probe would be hit without the entry being passed.
std::optional<Entry> entry_behind(Bytes text, uint64_t start, uint64_t size);

}  // namespace uscope::insn
