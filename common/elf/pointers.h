// Reads the pointers of a file that may be loaded anywhere.
//
// In a position-independent file a pointer is a word that the dynamic linker fills in, by an
// R_*_RELATIVE relocation {address, addend}. The word in the file itself may have the same value
// (Go's own linker) or 0 (GNU ld):
//
//     .data.rel.ro  0x130fe0: 00 00 00 00 00 00 00 00      .rela.dyn  {0x130fe0, 0x40d20}
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

class Pointers {
  public:
    explicit Pointers(const Image &image);

    // Returns the word at `vaddr` as it is if the file is loaded at its link address.
    std::optional<uint64_t> read(uint64_t vaddr) const;
    // Returns the addresses of all pointers to `target`: relocated words, and aligned words of
    // writable segments.
    std::vector<uint64_t> find(uint64_t target) const;
    // {address, addend}, sorted by address.
    const std::vector<std::pair<uint64_t, uint64_t>> &relocations() const { return relocations_; }

  private:
    const Image &image_;
    std::vector<std::pair<uint64_t, uint64_t>> relocations_;
};

}  // namespace uscope::elf
