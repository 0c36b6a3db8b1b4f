// Reads pointers in the data of a file, also in a position-independent one.
//
// In a position-independent file, the dynamic linker sets each pointer when it loads the file: a
// relocation R_*_RELATIVE {address, addend} says that the word at `address` points to `addend`,
// both plus the load address. The word in the file is either also the addend (Go's own linker) or 0
// (GNU ld), as here:
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

    // Returns the 8-byte word at `vaddr` as it would be if the file were loaded at its link
    // address: the addend of its relocation, else the word in the file. nullopt if neither exists.
    std::optional<uint64_t> read(uint64_t vaddr) const;
    // Returns the addresses of all pointers to `target`: words with a relocation to it, and aligned
    // words of writable segments that have this value in the file.
    std::vector<uint64_t> find(uint64_t target) const;
    // {address, addend}, sorted by address.
    const std::vector<std::pair<uint64_t, uint64_t>> &relocations() const { return relocations_; }

  private:
    const Image &image_;
    std::vector<std::pair<uint64_t, uint64_t>> relocations_;
};

}  // namespace uscope::elf
