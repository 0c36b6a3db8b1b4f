// The symbol tables of one ELF file, as they are: .symtab (for debuggers; `strip` removes it) and
// .dynsym (for the dynamic linker; always there in what is dynamically linked).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/image.h"

namespace uscope::elf {

struct Symbol {
    std::string_view name;  // without @VERSION; inside the image
    uint64_t vaddr = 0, size = 0;
    bool is_function = false;  // STT_FUNC, STT_GNU_IFUNC
    bool is_indirect = false;  // STT_GNU_IFUNC: it chooses the function, see resolve/indirect.h
    bool is_object = false;    // STT_OBJECT, STT_NOTYPE
    // memcpy@GLIBC_2.2.5 beside memcpy@@GLIBC_2.14: for old programs, not what a new one calls. (Or
    // Go's assembly: elf/pclntab.h.)
    bool is_old_version = false;
};

class SymbolTable {
  public:
    // `is_file`: they are mapped, and may leave memory when they have been read through.
    SymbolTable(Bytes symbols, Bytes strings, Bytes versions, bool is_file);

    // Calls visit(const Symbol &) for each defined, named function or object. Nothing is allocated.
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 1; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // The same for those symbols only whose names hold `text`. The strings are searched as a whole,
    // several times faster than name by name: most symbols are passed over without a look at their
    // names.
    template <class Visit>
    void each_holding(std::string_view text, Visit &&visit) const
    {
        NameRanges ranges = names_holding(text);
        for (size_t i = 1; i < count_ && !ranges.empty(); ++i)
            if (is_name_in(ranges, i))
                if (auto symbol = read(i))
                    visit(*symbol);
        release(symbols_);
    }

    // Is `name` a function or object that the file uses and another file holds?
    bool imports(std::string_view name) const;

  private:
    // Names that begin in [first, last], both offsets into strings_; in order and disjoint.
    struct NameRange {
        uint32_t first, last;
    };
    using NameRanges = std::vector<NameRange>;

    NameRanges names_holding(std::string_view text) const;
    bool is_name_in(const NameRanges &ranges, size_t index) const;
    std::optional<Symbol> read(size_t index) const;
    void release(Bytes table) const;                  // which has been read through
    std::string_view name_at(uint32_t offset) const;  // with its @VERSION

    Bytes symbols_, strings_, versions_;
    size_t count_;
    bool is_file_;
};

// .symtab and .dynsym, those that there are. Without section headers .dynsym is found as the
// dynamic linker finds it, through PT_DYNAMIC. Corrupt entries are left out.
std::vector<SymbolTable> symbol_tables(const Image &image);

// Has it a .symtab, so that a debug file would add nothing?
bool has_full_symbols(const Image &image);

}  // namespace uscope::elf
