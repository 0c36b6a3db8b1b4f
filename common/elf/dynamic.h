// What a file's dynamic section says of other files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// The libraries it asks for (DT_NEEDED), by the names it uses: "libruby-3.1.so.3.1". Empty for a
// static program.
std::vector<std::string> needed_libraries(const Image &image);

// The path of the dynamic linker that it asks for; empty for libraries, static programs and without section headers.
std::string dynamic_linker(const Image &image);

// Does the dynamic linker write into its code (DT_TEXTREL)? What is in memory is not what is in the file, then.
bool has_text_relocations(const Image &image);

// Where the dynamic linker puts the address that the resolver at `resolver` chooses
// (R_*_IRELATIVE): the addresses of 8-byte words. None when the file itself never calls that
// function, or is static.
std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver);

// Which words it fills in with the address of a function or an object of some file (R_*_JUMP_SLOT, R_*_GLOB_DAT), and the
// symbol's name, which is inside the image.
struct SymbolSlot {
    std::string_view name;
    uint64_t function;  // of this file, by that name; 0: another file has it
};
std::unordered_map<uint64_t, SymbolSlot> symbol_slots(const Image &image);

}  // namespace uscope::elf
