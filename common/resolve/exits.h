// Finds where a compiled function exits: at its return instructions, and at jumps to other
// functions, which then return in its place (tail calls).
//
// The kernel's return probe replaces the return address on the stack, which breaks programs that
// inspect, unwind or switch their stacks (resolve/returns.h). Probes on the exits change nothing on
// the stack.
//
//      f:  test %rdi,%rdi
//          je   g               a conditional tail call: g returns to f's caller
//          push %rbx
//          call h
//          cmp  $2,%eax
//          ja   f.cold          a part of f that the compiler moved: still f
//          pop  %rbx
//          ret                  an exit
//
// ExitFinder follows the code from the function's first instruction, through its jumps, its jump
// tables and the code that catches exceptions, so that it treats only reachable bytes as code
// (resolve/body.h). It refuses functions of which it is not certain, because a breakpoint in data
// or inside an instruction would corrupt the program.
//
// .eh_frame (elf/frames.h) tells a jump to the start of another function from one into a moved
// part. ExitFinder also follows the functions that are tail-called, up to `most_bodies` in all.
// Their returns are *borrowed*: they are also exits for calls of this function.
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

// All addresses are virtual.
struct Exits {
    std::vector<uint64_t> returns;   // its own return instructions
    std::vector<uint64_t> borrowed;  // the return instructions of functions that it tail-calls
    // Jumps to functions whose returns are not known: the call ends there, but without its result.
    std::vector<uint64_t> tail_calls;
    std::vector<uint64_t> borrowed_tail_calls;  // such jumps of functions that it tail-calls
    // Those of `returns` and `borrowed` that are the first instruction of a function.
    std::vector<uint64_t> lone_returns;
    bool is_leaf = false;  // calls neither functions nor the kernel
    // There may be other exits: a jump by a table that may hold functions, or a conditional tail
    // call to a function whose returns are not known.
    bool may_leave_unseen = false;
};

// Finds how far functions without .eh_frame, such as musl's, reach: to the next symbol, because
// only a function's own instructions lead from it into the code after it.
class FunctionEnds {
  public:
    explicit FunctionEnds(const elf::Image &image) : image_(image) {}
    // Returns the bytes from `vaddr` to the next function; 0: unknown, or more than 64 KB.
    uint64_t bytes_from(uint64_t vaddr);

  private:
    const elf::Image &image_;
    std::optional<std::vector<uint64_t>> starts_;  // of functions; read at the first call
};

class ExitFinder {
  public:
    // `image` must outlive this object.
    explicit ExitFinder(const elf::Image &image);
    ~ExitFinder();

    // Finds the exits of the function at `vaddr` with `size` bytes (0: unknown). Errors say why the
    // exits are not known; callers put the function's name before the text: "has an instruction at
    // +0x12 that cannot be decoded".
    Result<Exits> find(uint64_t vaddr, uint64_t size);
    // Like find(), but does not follow tail calls: such jumps are in tail_calls.
    Result<Exits> find_alone(uint64_t vaddr, uint64_t size);

    // Is it a called function, so that its return address is on top of the stack at its first
    // instruction?
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
