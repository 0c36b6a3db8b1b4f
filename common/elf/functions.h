// Which functions of a file a name means.
//
// Names come from .symtab, .dynsym, .gnu_debugdata (an xz-compressed ELF with a .symtab) and the
// separate debug file found by build-id or .gnu_debuglink (elf/debug_file.h); of a stripped Go
// program also from .gopclntab (elf/pclntab.h). Symbol kinds STT_FUNC and STT_GNU_IFUNC, defined,
// with code in the file; also STT_NOTYPE, as assembly has it, if all up to the next symbol is code. Aliases of one
// address count as one function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "elf/image.h"

namespace uscope::elf {

struct Function {
    std::string name;     // as in the symbol table, without @VERSION
    std::string display;  // demangled, or the same
    uint64_t vaddr = 0;
    uint64_t size = 0;  // 0: not known
    uint64_t file_offset = 0;
    bool is_indirect = false;  // STT_GNU_IFUNC: the code is not the function's, but chooses it
    // A copy that came with the function: it may have its parameters elsewhere, and lack some.
    bool is_copy = false;
    // What a person should know of its name: whole sentences without a full stop.
    std::vector<std::string> notes = {};
};

// Which root the debug files are looked up under ("/proc/PID/root" for another mount namespace).
struct SymbolOptions {
    std::string root = "";
    // The file's own path, for .gnu_debuglink and messages; empty: the image's name. They differ
    // when the image was opened through /proc/PID/map_files.
    std::string path = "";
    bool debug_files = true;
    // all_functions(): false leaves `display` empty, which saves over half the time.
    bool demangle = true;
    bool notes = false;  // find_functions() gives them; takes a pass over all symbols
};

// The functions that `pattern` means, each address once, in address order:
//  1. exactly a symbol's name (of several versions of a symbol, the default one); NAME@VERSION is that version of it, where
//     VERSION may be a glob;
//  2. a demangled name: with its parameter list ("ns::f(int)"), without ("ns::f", "f<int>"), for
//     Rust without the hash; C++ constructors have several symbols and all of them are meant. The
//     text need not have the demangler's white space. If nothing else does, a template's name
//     without its arguments matches ("A::f" for A<int>::f), and a compiler's whole copy of a
//     function (f.constprop.0, f.isra.0); never a part of one (f.cold, f.part.0);
//     With the function that a name means come the copies of it (f.constprop.0, f.isra.0) that callers in the
//     same file call in its place, by what they pass;
//  3. a glob (* ? [ ]) over the raw or the demangled names (also without parameters), without
//     f.cold.
// A plain name that means different functions (overloads, the same static name in two units) is an
// error which lists the candidates and how to write each; a glob takes all. A name that means none
// is an error with near names, or says that the file has no symbols at all.
// Notes say what else is at the address by another name, what other versions there are, and that the name means several symbols.
// Searching is lazy: an exact name found in .dynsym or .symtab costs one pass and no demangling.
// Debug files are looked for only when the file has no .symtab.
Result<std::vector<Function>> find_functions(const Image &image, std::string_view pattern,
                                             const SymbolOptions &options = {});

// Those whose symbol, or demangled name with or without its parameters, `regex` matches; without
// f.cold. No function is no error here.
Result<std::vector<Function>> find_functions(const Image &image, const Regex &regex,
                                             const SymbolOptions &options = {});

// Every function, in address order (for listings and symbolizing).
Result<std::vector<Function>> all_functions(const Image &image, const SymbolOptions &options = {});

// A data symbol's address (for USDT operands such as `4@NBuffers(%rip)`), or nothing.
std::optional<uint64_t> find_object(const Image &image, std::string_view name,
                                    const SymbolOptions &options = {});

}  // namespace uscope::elf
