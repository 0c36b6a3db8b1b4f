// Reads the functions of a Go program and their stack frames from .gopclntab, the table that Go's
// runtime uses to walk stacks. `strip` does not remove it, because the program would not run
// without it. (pclntab.cpp explains the format.)
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

// How to unwind from one instruction of a Go function to its caller.
struct GoFrame {
    UnwindRow row;
    // Go's runtime ends its stack walks at this function. This is also true for a signal handler,
    // although it returns to the code that the signal interrupted.
    bool is_top = false;
    // False before Go 1.18: the tables of Go 1.16 do not say which functions switch to another
    // stack, and those of Go 1.17 look the same. So frame() inspected the function's code, which is
    // a guess.
    bool is_certain = true;
};

class PclnTable {
  public:
    // Finds the table in a file. Returns nullopt if the file has none, or one whose format is
    // unknown or whose functions are not in code. Only Image::go_functions() calls this, and keeps
    // the result.
    static std::optional<PclnTable> find(const Image &image);

    // Calls visit(const Symbol &) for each function, in the order of addresses. The size of a
    // function includes everything up to the next one. Symbol::is_old_version is true for functions
    // in assembly: a wrapper with the same name may exist, through which Go code calls such a
    // function, and the name then means the wrapper. (In .symtab, the assembly function is called
    // NAME.abi0.)
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 0; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // Like each(), but only for functions whose names contain `text`. After keep_containing(), it
    // may also visit others, whose names contain only the text that was passed there
    // (elf/name_search.h).
    template <class Visit>
    void each_containing(std::string_view text, Visit &&visit) const
    {
        auto name_at = [this](size_t i) { return name_offset(i); };
        names_.each_containing(text, 0, count_, name_at, [&](size_t i) {
            if (auto symbol = read(i))
                visit(*symbol);
        });
    }

    // Makes later calls of each_containing() fast, for texts that contain `text`.
    void keep_containing(std::string_view text);

    // Is the function that starts at `vaddr` written in assembly?
    bool is_assembly(uint64_t vaddr) const;

    // Returns how to unwind from the instruction at `vaddr` to the caller. `is_exact`: `vaddr` is
    // the address of an interrupted instruction, not a return address. Returns nullopt if the table
    // does not have this information, as for C functions and functions that switch stacks.
    std::optional<GoFrame> frame(const Image &image, uint64_t vaddr, bool is_exact) const;

    // Returns the address of runtime.firstmoduledata, the data with which Go's runtime describes
    // the program to itself. nullopt if it was not found.
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
    Bytes record(size_t index) const;  // of a function; empty: a gap between two functions
    size_t first_from(uint64_t vaddr) const;
    // What the table says about the function that contains an address, and about its stack there.
    struct Function;
    struct Depth;
    Function function_at(uint64_t vaddr) const;
    std::optional<Depth> depth(const Function &function, uint64_t vaddr) const;
    bool keeps_stack(const Image &image, const Function &function) const;
    uint64_t entry(size_t index) const;  // entry(count_) is the end of the last function
    uint64_t word(uint64_t offset) const { return table_.read<uint64_t>(offset).value_or(0); }

    Bytes table_;  // from the header to the end of its segment
    const Format *format_ = nullptr;
    NameSearch names_;
    uint64_t vaddr_ = 0, count_ = 0, names_at_ = 0, functions_at_ = 0, values_at_ = 0;
    uint64_t text_ = 0;              // the address to which relative entries are added
    std::vector<uint64_t> entries_;  // the entries, if they are addresses
};

}  // namespace uscope::elf
