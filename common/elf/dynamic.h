// Reads from a file's dynamic section what it needs from other files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// Returns the libraries it needs (DT_NEEDED), by the names it uses: "libruby-3.1.so.3.1". Empty for
// a static program.
std::vector<std::string> needed_libraries(const Image &image);

// Returns the path of its dynamic linker. Empty for libraries, static programs and files without
// section headers.
std::string dynamic_linker(const Image &image);

// Does the dynamic linker write into its code (DT_TEXTREL)? Then the code in memory differs from
// the file's.
bool has_text_relocations(const Image &image);

// Returns the addresses of the 8-byte words where the dynamic linker stores the address that the
// resolver at `resolver` chooses (R_*_IRELATIVE). Empty if the file itself never calls that
// function, or is static.
std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver);

// A word that the dynamic linker fills in with the address of a function or an object of some file
// (R_*_JUMP_SLOT, R_*_GLOB_DAT).
struct SymbolSlot {
    std::string_view name;  // the symbol's; inside the image
    uint64_t function;      // the address of this file's function of that name; 0: in another file
};
// Returns these words by their address.
std::unordered_map<uint64_t, SymbolSlot> symbol_slots(const Image &image);

}  // namespace uscope::elf
