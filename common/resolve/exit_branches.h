// Finds branches at which a program can see that a function is about to return.
//
// Before Linux 6.19, the kernel single-steps a return instruction under a probe, at several times
// the cost of the probe itself. It emulates jumps. Compilers put a jump before nearly every return,
// with only a few straight instructions between them:
//
//      f:   …
//           sub  %fs:0x28,%rdx     the stack protector's check
//           jne  fail              <- a program here knows the flags: if ZF is set, f returns
//      out: mov  %ebp,%eax         the result is in %ebp
//           add  $8,%rsp
//           pop  %rbp              the return address is 16 bytes above the stack pointer
//           ret
//
// Branches may replace the probe on a `ret` if each path to it passes exactly one of them, and only
// straight code without calls follows. This code shows where the return address and the result are
// while the thread is still at the branch. A branch in a loop is not used, because it would run
// more often than the function returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "insn/flow.h"
#include "insn/returned_value.h"
#include "spec/probe.h"

namespace uscope::resolve {

// A branch from which one or both ways lead to a return. All addresses are virtual.
struct ExitBranch {
    // What follows if the branch is taken, or not.
    struct Way {
        bool returns = false;
        insn::ReturnedValue value = {};  // if it returns
    };

    uint64_t vaddr = 0;
    static constexpr uint8_t always = 16;
    // The condition as in the instruction's lowest 4 bits (0: overflow … 15: greater).
    uint8_t condition = always;
    // At the branch, the address of the return address is that in %rsp or %rbp plus `offset`.
    bool by_frame_pointer = false;
    int32_t offset = 0;
    Way taken = {}, not_taken = {};
};

// Branches that replace the probes on some of a function's return instructions.
struct BranchExits {
    std::vector<ExitBranch> branches;
    std::set<uint64_t> replaced;  // return instructions
};

// A function's code: all its instructions, sorted by address.
struct FlowGraph {
    struct Node {
        uint64_t vaddr;
        Bytes code;  // from the instruction on
        insn::Step step;
    };
    std::vector<Node> nodes;
    uint64_t entry = 0;
    std::set<uint64_t> indirect = {};  // where tables, exceptions and computed jumps may lead
};

// Do only the function's own instructions lead to those that start from `first` to `last`?
// `own_near`: how many of its branches with a displacement of four bytes lead there.
using IsClosed = std::function<bool(uint64_t first, uint64_t last, size_t own_near)>;

// Finds the branches of an x86-64 function that `use` accepts.
BranchExits find_exit_branches(const FlowGraph &graph, spec::BranchUse use,
                               const IsClosed &is_closed);

// For a function that is only straight code: its exit is seen at its entry already. `site`: the
// address of the entry's probe. Returns nullopt for other functions.
std::optional<ExitBranch> find_exit_at_entry(const FlowGraph &graph, uint64_t site,
                                             spec::BranchUse use);

}  // namespace uscope::resolve
