// Reads the symbol tables of one ELF file: .symtab (for debuggers; `strip` removes it) and .dynsym
// (for the dynamic linker; every dynamically linked file has it).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "elf/name_search.h"

namespace uscope::elf {

struct Symbol {
    std::string_view name;  // without @VERSION; inside the image
    uint64_t vaddr = 0, size = 0;
    bool is_function = false;  // STT_FUNC, STT_GNU_IFUNC
    bool is_indirect = false;  // STT_GNU_IFUNC: it chooses the function; see resolve/indirect.h
    bool is_object = false;    // STT_OBJECT, STT_NOTYPE
    bool is_untyped = false;   // STT_NOTYPE: assembly may not give its functions a type
    // True for memcpy@GLIBC_2.2.5 if memcpy@@GLIBC_2.14 also exists: for old programs; new programs
    // call the other. (Also true for assembly functions of Go: elf/pclntab.h.)
    bool is_old_version = false;
    std::string_view version = {};  // "GLIBC_2.14"; empty: none
};

class SymbolTable {
  public:
    // `is_file`: the tables are mapped from a file, so that their pages may be released after a
    // pass. `versions` has a number for each symbol; `version_names` has the names of these
    // numbers.
    SymbolTable(Bytes symbols, Bytes strings, Bytes versions,
                std::vector<std::string_view> version_names, bool is_file);

    // Calls visit(const Symbol &) for each defined, named function or object. Allocates nothing.
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 1; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // Like each(), for symbols whose names contain `text`; after keep_containing(), perhaps also
    // for others whose names contain the kept text (elf/name_search.h).
    template <class Visit>
    void each_containing(std::string_view text, Visit &&visit) const
    {
        auto name_at = [this](size_t i) { return name_offset(i); };
        names_.each_containing(text, 1, count_, name_at, [&](size_t i) {
            if (auto symbol = read(i))
                visit(*symbol);
        });
        names_.release(symbols_);
    }

    void keep_containing(std::string_view text);

    // The bytes that hold the names: part of the image's, unless they were compressed.
    Bytes strings() const { return names_.strings(); }
    bool is_file() const { return names_.is_file(); }
    // Is `name` an undefined symbol, which the file uses and another file defines?
    bool imports(std::string_view name) const;

  private:
    std::optional<uint32_t> name_offset(size_t index) const;
    std::optional<Symbol> read(size_t index) const;
    std::string_view name_at(uint32_t offset) const;  // with its @VERSION

    NameSearch names_;
    Bytes symbols_, versions_;
    std::vector<std::string_view> version_names_;
    size_t count_;
};

// Returns .symtab and .dynsym, whichever exist, in this order. Without section headers, .dynsym is
// found as the dynamic linker finds it, through PT_DYNAMIC. Skips corrupt entries.
std::vector<SymbolTable> symbol_tables(const Image &image);

// Is it a function, or, if it has no type, in a code section of `image`?
bool may_be_code(const Image &image, const Symbol &symbol);

// Does it have a .symtab? Then a debug file adds no names.
bool has_full_symbols(const Image &image);

}  // namespace uscope::elf
