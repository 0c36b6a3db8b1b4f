// Reads the symbol tables of an ELF file: .symtab, which is for debuggers and which `strip`
// removes; and .dynsym, which the dynamic linker uses and every dynamically linked file has.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "elf/name_search.h"

namespace uscope::elf {

struct Symbol {
    std::string_view name;  // without @VERSION; points into the image
    uint64_t vaddr = 0, size = 0;
    bool is_function = false;  // STT_FUNC, STT_GNU_IFUNC
    bool is_indirect = false;  // STT_GNU_IFUNC: code that chooses a function (resolve/indirect.h)
    bool is_object = false;    // STT_OBJECT, STT_NOTYPE
    bool is_untyped = false;   // STT_NOTYPE, as in assembly that does not declare types
    // True for a symbol that only old programs use, such as memcpy@GLIBC_2.2.5: programs that are
    // linked now use the default version, memcpy@@GLIBC_2.14. (Also true for Go's functions in
    // assembly, see elf/pclntab.h.)
    bool is_old_version = false;
    std::string_view version = {};  // "GLIBC_2.14"; empty: none
};

class SymbolTable {
  public:
    // `is_file`: the tables are mapped from a file, so their pages may be released after reading
    // all of them. `versions` has the number of the version of each symbol, `version_names` the
    // names of these numbers.
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

    // Like each(), but only for symbols whose names contain `text`. After keep_containing(), it may
    // also visit others, whose names contain only the text that was passed there
    // (elf/name_search.h).
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

    // Like each(), for variables of a thread: `vaddr` is the offset among those of the file.
    template <class Visit>
    void each_of_threads(Visit &&visit) const
    {
        for (size_t i = 1; i < count_; ++i)
            if (auto symbol = read(i, true))
                visit(*symbol);
    }

    // Makes later calls of each_containing() fast, for texts that contain `text`.
    void keep_containing(std::string_view text);

    // The string table. Its bytes are part of the image's bytes, unless they are compressed in the
    // file.
    Bytes strings() const { return names_.strings(); }
    bool is_file() const { return names_.is_file(); }
    // Does the file use a symbol `name` that another file defines?
    bool imports(std::string_view name) const;

  private:
    std::optional<uint32_t> name_offset(size_t index) const;
    std::optional<Symbol> read(size_t index, bool of_threads = false) const;
    std::string_view name_at(uint32_t offset) const;  // with its @VERSION

    NameSearch names_;
    Bytes symbols_, versions_;
    std::vector<std::string_view> version_names_;
    size_t count_;
};

// Returns .symtab and .dynsym, if they exist, in this order. Without section headers, finds .dynsym
// as the dynamic linker does, by PT_DYNAMIC. Skips corrupt tables.
std::vector<SymbolTable> symbol_tables(const Image &image);

// Is the symbol a function? One without a type counts as a function if it is in the code of
// `image`.
bool may_be_code(const Image &image, const Symbol &symbol);

// Does the file have a .symtab? If so, a debug file would not add any names.
bool has_full_symbols(const Image &image);

}  // namespace uscope::elf
