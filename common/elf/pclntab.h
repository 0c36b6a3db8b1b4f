// The functions of a Go program by .gopclntab, the table by which Go's runtime walks stacks. `strip`
// leaves it: a program without it would not run. (The implementation file explains the format.)
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "elf/pointers.h"
#include "elf/symbols.h"

namespace uscope::elf {

class PclnTable {
  public:
    // Nothing when the file has none, or one whose format or place of the code is not proven.
    static std::optional<PclnTable> find(const Image &image);

    // Calls visit(const Symbol &) for each function, in the order of addresses. Sizes reach to the
    // next function. Functions in assembly are marked by `is_old_version`: one may have a wrapper of
    // the same name, for calls from Go, which the name then means. (In .symtab the other is called
    // name.abi0.)
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 0; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // The same for those functions only whose names hold `text`.
    template <class Visit>
    void each_holding(std::string_view text, Visit &&visit) const
    {
        each([&](const Symbol &symbol) {
            if (symbol.name.find(text) != symbol.name.npos)
                visit(symbol);
        });
    }

    // Is the function that starts there one in assembly?
    bool is_assembly(uint64_t vaddr) const;

    // Where the file has runtime's description of the program (runtime.firstmoduledata).
    std::optional<uint64_t> module(const Image &image) const;

  private:
    struct Format;
    static const Format *format_of(Bytes header);
    static std::optional<PclnTable> parse(const Image &image, uint64_t vaddr,
                                          const Pointers &pointers);
    std::optional<uint64_t> find_module(const Pointers &pointers);
    bool is_proven(const Image &image) const;
    std::optional<Symbol> read(size_t index) const;
    uint64_t entry(size_t index) const;  // of the last and one: where the last ends
    uint64_t word(uint64_t offset) const { return table_.read<uint64_t>(offset).value_or(0); }

    Bytes table_;  // from the header to the end of its segment
    const Format *format_ = nullptr;
    uint64_t vaddr_ = 0, count_ = 0, names_at_ = 0, functions_at_ = 0;
    uint64_t text_ = 0;              // what entries are relative to
    std::vector<uint64_t> entries_;  // where they are addresses
};

}  // namespace uscope::elf
