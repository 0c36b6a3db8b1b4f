// The symbol tables of one ELF file, as they are: .symtab (for debuggers; `strip` removes it) and
// .dynsym (for the dynamic linker; always there in what is dynamically linked).
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
    bool is_indirect = false;  // STT_GNU_IFUNC: it chooses the function, see resolve/indirect.h
    bool is_object = false;    // STT_OBJECT, STT_NOTYPE
    bool is_untyped = false;   // STT_NOTYPE: assembly may not say what its functions are
    // memcpy@GLIBC_2.2.5 beside memcpy@@GLIBC_2.14: for old programs, not what a new one calls. (Or
    // Go's assembly: elf/pclntab.h.)
    bool is_old_version = false;
    std::string_view version = {};  // "GLIBC_2.14"; empty: none
};

class SymbolTable {
  public:
    // `is_file`: they are mapped, and may leave memory when they have been read through.
    // `versions` has a number for each symbol, `version_names` the names of these numbers.
    SymbolTable(Bytes symbols, Bytes strings, Bytes versions,
                std::vector<std::string_view> version_names, bool is_file);

    // Calls visit(const Symbol &) for each defined, named function or object. Nothing is allocated.
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 1; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // The same for symbols whose names hold `text`; after keep_holding() also for others that hold what
    // was kept (elf/name_search.h).
    template <class Visit>
    void each_holding(std::string_view text, Visit &&visit) const
    {
        auto name_at = [this](size_t i) { return name_offset(i); };
        names_.each_holding(text, 1, count_, name_at, [&](size_t i) {
            if (auto symbol = read(i))
                visit(*symbol);
        });
        names_.release(symbols_);
    }

    void keep_holding(std::string_view text);

    // Where names are: in the image's bytes, unless they were compressed.
    Bytes strings() const { return names_.strings(); }
    bool is_file() const { return names_.is_file(); }
    // Is `name` a function or object that the file uses and another file holds?
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

// .symtab and .dynsym, those that there are. Without section headers .dynsym is found as the
// dynamic linker finds it, through PT_DYNAMIC. Corrupt entries are left out.
std::vector<SymbolTable> symbol_tables(const Image &image);

// Is it a function of `image`, or may it be one? Without a type it is in a section of code.
bool may_be_code(const Image &image, const Symbol &symbol);

// Has it a .symtab, so that a debug file would add nothing?
bool has_full_symbols(const Image &image);

}  // namespace uscope::elf
