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

    // A part of the text; `end` is behind its last byte.
    struct Range {
        uint64_t start, end;
    };
    // May a branch outside of the function's code `own` lead into `part` of it? `own_near`: how
    // many branches in `own` with a displacement of four bytes lead into `part`. `before`: where
    // the function before `own` starts; `own.start` if unknown.
    bool lead_from_outside(Range part, Range own, size_t own_near, uint64_t before);

  private:
    bool near_branches_lead_to(uint64_t first, uint64_t last);
    size_t count_near(Range part);

    Bytes text_;
    // For each byte of the text: may it be the target of a branch with a displacement of four
    // bytes? Empty until the second call of near_branches_lead_to().
    std::vector<bool> is_target_;
    bool was_searched_ = false;
    // The targets, sorted, each as often as a branch may lead there. Empty until the second call of
    // count_near().
    std::vector<uint32_t> targets_;
    bool was_counted_ = false;
};

}  // namespace uscope::insn
