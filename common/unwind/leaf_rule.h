// Finds the caller of a frame whose code has no table, by following the code from the frame's next
// instruction to a return. On this path, the code must remove all that its frame has on the stack.
// So the path shows the size of the frame and where the caller's frame pointer is saved. Any path
// will do, because the stack has the same height at an instruction whichever path leads there. An
// example from musl, which has no tables:
//
//     call write        the frame of this call:
//     add  $16,%rsp     16 bytes
//     pop  %rbx         8 more
//     pop  %rbp         8 more; the caller's frame pointer is saved here
//     ret               CFA = %rsp + 40
//
// This works for the leaf, whose next instruction is the thread's, and for its callers, whose next
// instruction is at the return address. But a call that never returns is followed by unrelated
// code. So the search prefers paths that pass few calls, and accepts a rule only if the return
// address to which the rule leads follows a call instruction.
//
// More is known about functions that V8 compiled. They begin and end like this (Node 16 to 26; a
// check whether the code is still valid may come first):
//
//     push %rbp; mov %rsp,%rbp; push %rsi; push %rdi; push %rax …
//     … mov %rbp,%rsp; pop %rbp; cmp $N,%rcx; jg 1f; ret $8*N; 1: pop %r10; lea
//     (%rsp,%rcx,8),%rsp; push %r10; ret
#pragma once

#include <functional>
#include <optional>

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"

namespace uscope::unwind {

struct LeafRule {
    enum class Code { Compiled, Builtin };

    unwind_rule rule = {};
    // The frame does not contain the JavaScript function yet: the function is in a register.
    bool has_register = false;
};

// The rule for a thread at offset `at` of V8's `code`. Returns nullopt if the frame is complete, or
// if no rule can be found.
std::optional<LeafRule> leaf_rule(Bytes code, uint64_t at, LeafRule::Code kind);

// The rule for a frame of any code whose next instruction is at offset `at`: the first rule for
// which `accepts` returns true, or nullopt.
std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts);

// The rule for a thread in a JVM's code, if a return follows shortly. `code` begins at the thread's
// position. Only paths without calls and indirect jumps are followed, so the rule is certain.
// Returns nullopt if no such path leads to a return.
std::optional<unwind_rule> rule_before_return(Bytes code);

// Like rule_ahead(), but follows the code forwards to `at` from the last apparent function entry
// before it (push %rbp; mov %rsp,%rbp, or endbr64). For code that never returns. Returns nullopt if
// no path leads from the entry to `at`.
std::optional<unwind_rule> rule_from_entry(Bytes code, uint64_t at);

}  // namespace uscope::unwind
