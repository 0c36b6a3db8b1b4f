// Reads the data in a program or library that are meant for the dynamic linker: the files it needs,
// its dynamic linker, and the words in it that the dynamic linker fills in.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

// Returns the names of the libraries that the file needs (DT_NEEDED), such as "libruby-3.1.so.3.1".
// Empty for a static program.
std::vector<std::string> needed_libraries(const Image &image);

// Returns the path of the program's dynamic linker. Empty for libraries, static programs and files
// without section headers.
std::string dynamic_linker(const Image &image);

// Does the dynamic linker write into the file's code (DT_TEXTREL)? The code in memory then differs
// from the code in the file.
bool has_text_relocations(const Image &image);

// An indirect function (STT_GNU_IFUNC) has a resolver, which the dynamic linker calls once to learn
// the address of the function to use. Returns the addresses of the 8-byte words in which it stores
// the result of the resolver at `resolver` (R_*_IRELATIVE). Empty if the file itself does not call
// that function, or is static.
std::vector<uint64_t> indirect_slots(const Image &image, uint64_t resolver);

// A word into which the dynamic linker writes the address of a symbol: a function or an object in
// this or another file (R_*_JUMP_SLOT, R_*_GLOB_DAT).
struct SymbolSlot {
    std::string_view name;  // the symbol's; points into the image
    uint64_t function;      // address of this file's own function with that name; 0: none
};
// Returns all such words of the file, by their addresses.
std::unordered_map<uint64_t, SymbolSlot> symbol_slots(const Image &image);

// Returns the variables of libraries that a program has in its own memory (R_*_COPY): all files use
// the program's, and the library's own is never changed. The addresses are those in the program.
std::unordered_map<std::string_view, uint64_t> copied_variables(const Image &image);

}  // namespace uscope::elf
