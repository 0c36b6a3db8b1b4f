// Where a probe on a function's entry goes when the first instruction is no good place for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace uscope::insn {

struct Entry {
    uint64_t offset;       // of an instruction that a uprobe can be on
    bool keeps_arguments;  // what is passed changes no register that may hold an argument
    bool keeps_first;      // nor at least the one that holds the first
};

// Behind what moves or compares only vector registers: the next instruction that a uprobe can be on.
// Nothing when something else is before it, or a uprobe can be on the first instruction.
std::optional<Entry> entry_behind_vectors(Bytes function);

// The next instruction that the kernel emulates, behind what only computes with registers: it costs a
// tenth of one that is single-stepped. Neither memory is accessed there nor the stack pointer changed. `passes_reads`:
// memory may be read there, so that calls that fault at once are not seen. Nothing
// when something else is before it, or the first instruction is such a one.
std::optional<Entry> cheap_entry(Bytes function, bool passes_reads = false);

// The branches of a file's code. `text` is all code that may branch into its functions, and outlives it.
class Branches {
  public:
    explicit Branches(Bytes text) : text_(text) {}

    // Does one lead, or may one, behind the start of the function of `size` bytes at `start`, up to
    // `offset`? A probe there would be hit without the entry being passed.
    bool lead_behind(uint64_t start, uint64_t size, uint64_t offset);

  private:
    bool lead_from_afar(uint64_t first, uint64_t last);

    Bytes text_;
    // For each byte: is it the target of what may be a branch with a displacement of four bytes? Empty until
    // it is asked for twice.
    std::vector<bool> is_target_;
    bool was_asked_ = false;
};

}  // namespace uscope::insn
