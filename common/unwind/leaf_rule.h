// Finds the caller of code without a table from what the code does next. The stack has the same
// height at an instruction whichever path leads there. So between here and a return, the code must
// remove all that its frame has on the stack: following that path gives the size of the frame and
// where the caller's frame pointer is saved. An example from musl, which has no tables:
//
//     call write        the frame of this call:
//     add  $16,%rsp     16 bytes
//     pop  %rbx         8 more
//     pop  %rbp         8 more; the caller's frame pointer is saved here
//     ret               CFA = %rsp + 40
//
// This works both for callers and for the point where a thread is. It does not matter which of two
// branches leads to the return. But what follows a call that never returns is other code. So the
// search prefers paths that pass few calls, and accepts a rule only if a call precedes the return
// address.
//
// More is known about V8's code. Code that V8 compiled begins and ends like this (Node 16 to 26; a
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
    // The frame does not contain the JavaScript function yet: it is in a register.
    bool has_register = false;
};

// The rule for a thread at offset `at` of V8's `code`. Returns nullopt if the frame is complete, or
// if no rule can be found.
std::optional<LeafRule> leaf_rule(Bytes code, uint64_t at, LeafRule::Code kind);

// The rule for a frame of any code that executes the instruction at offset `at` next: the first one
// that `accepts`, or nullopt.
std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts);

// The rule for a thread that is shortly before a return of a JVM's code: no path that passes a call
// or an indirect jump is followed, so the rule is certain. Returns nullopt if `code`, which begins
// at the thread's position, has no such return.
std::optional<unwind_rule> rule_before_return(Bytes code);

// Like rule_ahead(), but follows the code forwards to `at` from the last apparent function entry
// before it (push %rbp; mov %rsp,%rbp, or endbr64). For code that never returns. Returns nullopt if
// no path leads from the entry to `at`.
std::optional<unwind_rule> rule_from_entry(Bytes code, uint64_t at);

}  // namespace uscope::unwind
