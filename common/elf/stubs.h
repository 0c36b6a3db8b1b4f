// Finds the stubs through which a file calls functions of other files (its procedure linkage
// tables), which no symbol names. For example,
//
//     .plt.sec  1040: endbr64
//               1044: jmp *0x2f86(%rip)     the word at 0x3fd0, R_X86_64_JUMP_SLOT puts
//
// is a stub of 16 bytes at 0x1040, "puts@plt".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "elf/dynamic.h"
#include "elf/image.h"

namespace uscope::elf {

struct Stub {
    uint64_t vaddr, size;
    std::string name;  // demangled
};

// Returns the stubs, sorted by address; none without section headers.
std::vector<Stub> linkage_stubs(const Image &image);

// Libraries also call their own functions through stubs, so that other files can replace them.
class OwnLinks {
  public:
    explicit OwnLinks(const Image &image);
    // Returns the address of the function of this file that the stub or the indirect jump at
    // `vaddr` leads to, unless another file replaces it; nullopt if it leads to no such function.
    std::optional<uint64_t> target(uint64_t vaddr) const;

  private:
    const Image &image_;
    std::unordered_map<uint64_t, SymbolSlot> slots_;
};

}  // namespace uscope::elf
