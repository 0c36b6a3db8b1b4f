// The stubs by which a file calls functions of other files (its procedure linkage tables), which no symbol names.
//
//     .plt.sec  1040: endbr64
//               1044: jmp *0x2f86(%rip)     the word at 0x3fd0, R_X86_64_JUMP_SLOT puts
//
// are 16 bytes at 0x1040, "puts@plt".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

struct Stub {
    uint64_t vaddr, size;
    std::string name;  // demangled
};

// By address. None without section headers.
std::vector<Stub> linkage_stubs(const Image &image);

}  // namespace uscope::elf
