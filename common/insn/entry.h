// Finds a later instruction for the probe on a function's entry, if a probe on the first
// instruction is impossible or expensive.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace uscope::insn {

struct Entry {
    uint64_t offset;       // of an instruction that can have a uprobe
    bool keeps_arguments;  // no instruction before it changes an argument register
    bool keeps_first;      // no instruction before it changes the first argument's register
};

// Skips instructions that only move or compare vector registers, and returns the first one after
// them that can have a uprobe. Returns nullopt if another kind of instruction comes first, or if
// nothing has to be skipped.
std::optional<Entry> entry_after_vectors(Bytes function);

// Skips instructions that only compute with registers, and returns the first one after them that
// the kernel emulates: a probe there costs a tenth of one on a single-stepped instruction. The
// skipped instructions neither access memory nor change the stack pointer. `passes_reads`: they may
// read memory; the probe then misses calls that fault there. Returns nullopt if another kind of
// instruction comes first, or if nothing has to be skipped.
std::optional<Entry> cheap_entry(Bytes function, bool passes_reads = false);

// Finds branches in a file's code. `text` is all code that may branch into the file's functions,
// and outlives this object.
class Branches {
  public:
    explicit Branches(Bytes text) : text_(text) {}

    // The function has `size` bytes at `start`; both are offsets in `text`. May a branch lead to an
    // address after `start`, up to start + offset? Then a probe at start + offset would also be hit
    // by code that has not passed the entry.
    bool lead_after(uint64_t start, uint64_t size, uint64_t offset);

  private:
    bool lead_from_afar(uint64_t first, uint64_t last);

    Bytes text_;
    // For each byte of the text: may it be the target of a branch with a displacement of four
    // bytes? Empty until the second call of lead_from_afar().
    std::vector<bool> is_target_;
    bool was_asked_ = false;
};

}  // namespace uscope::insn
