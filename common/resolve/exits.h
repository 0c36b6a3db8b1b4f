// Where a compiled function is left: by its return instructions, and by jumps to other functions,
// which then return in its place (tail calls).
//
// The kernel's return probe replaces the return address on the stack, which breaks programs that
// look at their stacks, unwind or switch them (resolve/returns.h). A probe on each way out touches
// nothing.
//
//      f:  test %rdi,%rdi
//          je   g               a tail call under a condition: g returns to f's caller
//          push %rbx
//          call h
//          cmp  $2,%eax
//          ja   f.cold          a part of f that the compiler moved: still f
//          pop  %rbx
//          ret                  a way out
//
// The code is followed from the function's first instruction along its jumps, its jump tables and
// to where it catches exceptions, so that only what is executed is taken for code
// (resolve/body.h). A function that is not certain is refused: a breakpoint in data, or inside an instruction,
// would corrupt the program.
//
// A jump to the start of another function is told from one into a moved part by .eh_frame
// (elf/frames.h). The functions that are tail-called are followed as well, up to `most_bodies` in
// all; the returns of those are *borrowed*: they are ways out for calls of this function, too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/stubs.h"
#include "resolve/jump_tables.h"

namespace uscope::resolve {

struct FunctionBody;

// All are virtual addresses.
struct Exits {
    std::vector<uint64_t> returns;   // its own return instructions
    std::vector<uint64_t> borrowed;  // those of functions that it tail-calls
    // Jumps to functions whose returns are not known: the call's end, but without its result.
    std::vector<uint64_t> tail_calls;
    std::vector<uint64_t> borrowed_tail_calls;  // those of functions that it tail-calls
    std::vector<uint64_t>
        lone_returns;      // of `returns` and `borrowed`: a function's first instruction
    bool is_leaf = false;  // it calls nothing, neither a function nor the kernel
    // There may be ways out beside these: a jump by a table that may hold functions, a tail call
    // under a condition to a function whose returns are not known.
    bool may_leave_unseen = false;
};

// How far functions reach that .eh_frame does not have, as those of musl: to the next symbol, as nothing leads from one function
// into what follows it but its own instructions.
class FunctionEnds {
  public:
    explicit FunctionEnds(const elf::Image &image) : image_(image) {}
    // 0: that is not known, or far away.
    uint64_t bytes_from(uint64_t vaddr);

  private:
    const elf::Image &image_;
    std::optional<std::vector<uint64_t>> starts_;  // of functions; read when they are asked for
};

class ExitFinder {
  public:
    // `image` must outlive it.
    explicit ExitFinder(const elf::Image &image);
    ~ExitFinder();

    // Of the function at `vaddr` with `size` bytes (0: not known). Errors say why its exits are not
    // known, to be put behind its name: "has an instruction at +0x12 that is not understood".
    Result<Exits> find(uint64_t vaddr, uint64_t size);
    // The same without what it tail-calls: such jumps are tail_calls.
    Result<Exits> find_alone(uint64_t vaddr, uint64_t size);

    // Is it a function that is called, so that its return address is on top of the stack when it begins?
    bool is_called(uint64_t vaddr) const;

  private:
    const Result<FunctionBody> &body(uint64_t vaddr, uint64_t size);
    bool follow_tail_calls(const FunctionBody &own, Exits &exits);

    const elf::Image &image_;
    elf::Frames frames_;
    JumpTables tables_;
    elf::OwnLinks links_;
    FunctionEnds ends_;
    std::map<uint64_t, std::unique_ptr<Result<FunctionBody>>> bodies_;
};

}  // namespace uscope::resolve
