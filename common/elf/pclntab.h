// Reads the functions of a Go program and their frames from .gopclntab, the table by which Go's
// runtime walks stacks. `strip` keeps it, because the program would not run without it. (The
// implementation file explains the format.)
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

// A function's frame at one instruction.
struct GoFrame {
    UnwindRow row;
    // The runtime's stack walks end here. A signal handler is also such a function: it returns to
    // the code that the signal interrupted.
    bool is_top = false;
    // False before Go 1.17, whose tables do not say which functions switch stacks: the code was
    // inspected instead.
    bool is_certain = true;
};

class PclnTable {
  public:
    // Returns nullopt if the file has no table, or one whose format or text address cannot be
    // proven. Callers use Image::go_functions(), which keeps the result.
    static std::optional<PclnTable> find(const Image &image);

    // Calls visit(const Symbol &) for each function, in the order of addresses. Sizes reach to the
    // next function. `is_old_version` marks functions in assembly: one may have a wrapper of the
    // same name, for calls from Go, and the name then means the wrapper. (.symtab calls the
    // assembly function name.abi0.)
    template <class Visit>
    void each(Visit &&visit) const
    {
        for (size_t i = 0; i < count_; ++i)
            if (auto symbol = read(i))
                visit(*symbol);
    }

    // Like each(), for functions whose names contain `text`; after keep_containing(), perhaps also
    // for others whose names contain the kept text (elf/name_search.h).
    template <class Visit>
    void each_containing(std::string_view text, Visit &&visit) const
    {
        auto name_at = [this](size_t i) { return name_offset(i); };
        names_.each_containing(text, 0, count_, name_at, [&](size_t i) {
            if (auto symbol = read(i))
                visit(*symbol);
        });
    }

    void keep_containing(std::string_view text);

    // Is the function that starts at `vaddr` written in assembly?
    bool is_assembly(uint64_t vaddr) const;

    // Returns how to unwind from `vaddr` to the caller. `is_exact`: `vaddr` is an interrupted
    // instruction, not a return address. Returns nullopt if the table does not say: in functions
    // that switch stacks, and in C functions.
    std::optional<GoFrame> frame(const Image &image, uint64_t vaddr, bool is_exact) const;

    // Returns the address of the runtime's description of the program (runtime.firstmoduledata).
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
    Bytes record(size_t index) const;  // a function's; empty for a gap between two functions
    size_t first_from(uint64_t vaddr) const;
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
    uint64_t text_ = 0;              // relative entries count from this address
    std::vector<uint64_t> entries_;  // filled in if entries are addresses
};

}  // namespace uscope::elf
