// The functions of a Go program by .gopclntab, the table by which Go's runtime walks stacks. `strip`
// leaves it: a program without it would not run. (The implementation file explains the format.)
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/frames.h"
#include "elf/image.h"
#include "elf/name_search.h"
#include "elf/pointers.h"
#include "elf/symbols.h"

namespace uscope::elf {

// A function's frame at one place in its code.
struct GoFrame {
    UnwindRow row;
    // The runtime's walks end here. A signal's handler is such a function: it returns to what the signal interrupted.
    bool is_top = false;
    // Before Go 1.17 the table does not say which functions move the stack pointer themselves: their code was looked at.
    bool is_certain = true;
};

class PclnTable {
  public:
    // Nothing when the file has none, or one whose format or place of the code is not proven. (Image keeps what
    // it finds: ask its go_functions().)
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

    // The same for functions whose names hold `text`; after keep_holding() also for others that hold
    // what was kept (elf/name_search.h).
    template <class Visit>
    void each_holding(std::string_view text, Visit &&visit) const
    {
        auto name_at = [this](size_t i) { return name_offset(i); };
        names_.each_holding(text, 0, count_, name_at, [&](size_t i) {
            if (auto symbol = read(i))
                visit(*symbol);
        });
    }

    void keep_holding(std::string_view text);

    // Is the function that starts there one in assembly?
    bool is_assembly(uint64_t vaddr) const;

    // How to go from there to the caller; `is_exact`: that is no place that a call returns to. Nothing where
    // the table does not say it: in functions that change to another stack, and in those of C.
    std::optional<GoFrame> frame(const Image &image, uint64_t vaddr, bool is_exact) const;

    // Where the file has runtime's description of the program (runtime.firstmoduledata).
    std::optional<uint64_t> module(const Image &image) const;

  private:
    struct Format;
    static const Format *format_of(Bytes header);
    static std::optional<PclnTable> parse(const Image &image, uint64_t vaddr,
                                          const Pointers &pointers);
    std::optional<uint64_t> find_module(const Pointers &pointers);
    bool is_proven(const Image &image) const;
    std::optional<uint32_t> name_offset(size_t index) const;
    std::optional<Symbol> read(size_t index) const;
    Bytes record(size_t index) const;  // of a function; empty for a gap between two
    size_t first_from(uint64_t vaddr) const;
    struct Function;
    struct Depth;
    Function function_at(uint64_t vaddr) const;
    std::optional<Depth> depth(const Function &function, uint64_t vaddr) const;
    bool keeps_stack(const Image &image, const Function &function) const;
    uint64_t entry(size_t index) const;  // of the last and one: where the last ends
    uint64_t word(uint64_t offset) const { return table_.read<uint64_t>(offset).value_or(0); }

    Bytes table_;  // from the header to the end of its segment
    const Format *format_ = nullptr;
    NameSearch names_;
    uint64_t vaddr_ = 0, count_ = 0, names_at_ = 0, functions_at_ = 0, values_at_ = 0;
    uint64_t text_ = 0;              // what entries are relative to
    std::vector<uint64_t> entries_;  // where they are addresses
};

}  // namespace uscope::elf
