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
// .eh_frame (elf/frames.h) shows whether a jump leads to the start of another function or into a
// moved part of this one. ExitFinder also follows the functions that a function tail-calls, up to
// `max_bodies` functions in all (exits.cpp). Their returns are *borrowed* exits: they also end
// calls of the first function.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/stubs.h"
#include "insn/entry.h"
#include "resolve/exit_branches.h"
#include "resolve/jump_tables.h"
#include "spec/probe.h"

namespace uscope::resolve {

struct FunctionBody;

// All addresses are virtual.
struct Exits {
    std::vector<uint64_t> returns;   // its own return instructions
    std::vector<uint64_t> borrowed;  // the return instructions of functions that it tail-calls
    // Branches before returns, which are then not in `returns` and `borrowed`.
    std::vector<ExitBranch> branches, borrowed_branches;
    // Jumps to functions whose returns are not known: a probe there sees that the call ends, but
    // not its result.
    std::vector<uint64_t> tail_calls;
    std::vector<uint64_t> borrowed_tail_calls;  // such jumps of functions that it tail-calls
    // Those of `returns` and `borrowed` that are the first instruction of a function.
    std::vector<uint64_t> lone_returns;
    bool is_leaf = false;  // calls neither functions nor the kernel
    // There may be other exits: a jump through a table that may contain functions, or a conditional
    // tail call to a function whose returns are not known.
    bool may_leave_unseen = false;
};

// Finds the ends of functions that have no .eh_frame, such as musl's. Takes the next symbol for the
// end. That may include bytes after the function; but these are read as code only if the function's
// own instructions lead there.
class FunctionEnds {
  public:
    explicit FunctionEnds(const elf::Image &image) : image_(image) {}
    // Returns the number of bytes from `vaddr` to the next function; 0 if that is unknown or more
    // than 64 KB.
    uint64_t bytes_from(uint64_t vaddr);

  private:
    const elf::Image &image_;
    std::optional<std::vector<uint64_t>> starts_;  // of functions; read at the first call
};

class ExitFinder {
  public:
    // `image` must outlive this object.
    explicit ExitFinder(const elf::Image &image, spec::BranchUse use = {});
    ~ExitFinder();

    // Finds the exits of the function at `vaddr` with `size` bytes (0: unknown). Errors say why the
    // exits are not known: "has an instruction at +0x12 that cannot be decoded"; callers put the
    // function's name before this text.
    // `site`: the address of the probe on the function's entry, which may be one of the branches.
    Result<Exits> find(uint64_t vaddr, uint64_t size, uint64_t site);
    // Like find(), but does not follow tail calls: such jumps are in tail_calls.
    Result<Exits> find_alone(uint64_t vaddr, uint64_t size, uint64_t site);

    // Does a function start at `vaddr` that is called, so that the return address is on top of the
    // stack at its first instruction?
    bool is_called(uint64_t vaddr) const;

  private:
    const Result<FunctionBody> &body(uint64_t vaddr, uint64_t size);
    void find_branches(FunctionBody &body);
    bool is_closed(uint64_t first, uint64_t last, size_t own_near, elf::Frame own);
    bool follow_tail_calls(const FunctionBody &own, Exits &exits, std::set<uint64_t> &replaced);

    const elf::Image &image_;
    spec::BranchUse use_;
    elf::Frames frames_;
    JumpTables tables_;
    elf::OwnLinks links_;
    FunctionEnds ends_;
    std::map<uint64_t, insn::Branches> text_branches_;  // by their segment's address
    std::map<uint64_t, std::unique_ptr<Result<FunctionBody>>> bodies_;
};

}  // namespace uscope::resolve
