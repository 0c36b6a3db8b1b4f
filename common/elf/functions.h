// Finds the functions of a file that a name means.
//
// Names come from .symtab, .dynsym, .gnu_debugdata (an xz-compressed ELF with a .symtab) and the
// separate debug file found by build-id or .gnu_debuglink (elf/debug_file.h); for a stripped Go
// program also from .gopclntab (elf/pclntab.h). A function is a defined symbol of kind STT_FUNC or
// STT_GNU_IFUNC with code in the file; or of kind STT_NOTYPE, as assembly has it, if everything up
// to the next symbol is code. Aliases of one address count as one function. Functions without a
// name are called by the address at which they start, "+0x349f" (elf/unnamed_functions.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "elf/debug_file.h"

namespace uscope::elf {

struct Function {
    std::string name;     // as in the symbol table, without @VERSION
    std::string display;  // demangled; the name itself if not mangled
    uint64_t vaddr = 0;
    uint64_t size = 0;  // 0: unknown
    uint64_t file_offset = 0;
    // STT_GNU_IFUNC: this code is the resolver, which chooses the function.
    bool is_indirect = false;
    // A compiler's copy of the function that was asked for: its parameters may be in other
    // registers, or missing.
    bool is_copy = false;
    // Notes about its name for the user: whole sentences without a full stop.
    std::vector<std::string> notes = {};
};

struct SymbolOptions {
    // Debug files are searched under this root ("/proc/PID/root" for another mount namespace).
    std::string root = "";
    // The file's own path, for .gnu_debuglink and messages; empty: the image's name. The two differ
    // if the image was opened through /proc/PID/map_files.
    std::string path = "";
    bool debug_files = true;
    Download download = Download::No;  // of debug files
    // For all_functions(): false leaves `display` empty, which saves over half the time.
    bool demangle = true;
    bool notes = false;    // find_functions() fills in notes; takes a pass over all symbols
    bool unnamed = false;  // find_functions() by a regular expression: also functions without names
};

// Returns the functions that `pattern` means, each address once, in address order. `pattern` is
//  1. exactly a symbol's name (of several versions of a symbol, the default one); NAME@VERSION is
//    that version of it, where VERSION may be a glob;
//  2. a demangled name: with its parameter list ("ns::f(int)"), without ("ns::f", "f<int>"), for
//    Rust without the hash. A C++ constructor has several symbols; its name means all of them.
//    White space may differ from the demangler's. If nothing else matches, a template's name
//    without its arguments matches ("A::f" for A<int>::f), and so does a compiler's whole copy of a
//    function (f.constprop.0, f.isra.0); never a part of one (f.cold, f.part.0). For Rust, a
//    name without the arguments of generics means all instances;
//  3. a glob (* ? [ ]) over the raw or the demangled names (also without parameters), without
//    f.cold;
//  4. "+0x349f": the function that starts at this address, whether it has a name or not. If none
//     does, the error names the next one below. A glob that starts with '+' ("+*") is matched
//     with the addresses of the functions that have no name.
//
// For a plain name, the result includes the copies of the function (f.constprop.0, f.isra.0) that
// callers in the same file call instead of it, depending on the arguments they pass. A plain name
// that means different functions (overloads, the same static name in two units) is an error that
// lists the candidates and how to write each; a glob takes all. A name that means no function is an
// error with similar names, or one that says that the file has no symbols at all. Notes report
// other names of the same address, other versions of the symbol, and that the name means several
// symbols. The search is lazy: an exact name found in .dynsym or .symtab costs one pass and no
// demangling. Debug files are searched only if the file has no .symtab.
Result<std::vector<Function>> find_functions(const Image &image, std::string_view pattern,
                                             const SymbolOptions &options = {});

// Returns the functions whose symbol, or demangled name with or without its parameters, `regex`
// matches; without f.cold. An empty result is not an error.
Result<std::vector<Function>> find_functions(const Image &image, const Regex &regex,
                                             const SymbolOptions &options = {});

// Returns every function, in address order (for listings and symbolizing).
Result<std::vector<Function>> all_functions(const Image &image, const SymbolOptions &options = {});

}  // namespace uscope::elf
