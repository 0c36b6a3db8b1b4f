// Finds the stubs of a file: the pieces of code in its procedure linkage tables through which it
// calls functions of other files. Symbol tables do not contain them. For example,
//
//     .plt.sec  1040: endbr64
//               1044: jmp *0x2f86(%rip)     the word at 0x3fd0, R_X86_64_JUMP_SLOT puts
//
// is a stub of 16 bytes at 0x1040. It is called "puts@plt" here, because it jumps through the word
// at 0x3fd0, into which the dynamic linker writes the address of puts.
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
    std::string name;  // demangled: "puts@plt"
};

// Returns the stubs of the file, sorted by address. Finds none in a file without section headers.
std::vector<Stub> linkage_stubs(const Image &image);

// A library also calls its own exported functions through stubs, so that another file can replace
// these functions. This class finds out which function such a stub calls.
class OwnLinks {
  public:
    explicit OwnLinks(const Image &image);
    // `vaddr` is the address of a stub or of an indirect jump. Returns the address of the function
    // of this file that it calls if no other file replaces the function; nullopt if it does not
    // call a function of this file.
    std::optional<uint64_t> target(uint64_t vaddr) const;

  private:
    const Image &image_;
    std::unordered_map<uint64_t, SymbolSlot> slots_;
};

}  // namespace uscope::elf
