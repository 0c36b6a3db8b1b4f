// The caller of code without a table, by what the code does next. Whatever the way to an instruction is, the stack is
// the same there; so where the code returns, it has taken down what it has on the stack here: the way there says how
// much that is, and where the caller's frame pointer is saved. Of musl, which has no tables:
//
//     call write        the frame of this call:
//     add  $16,%rsp     16 bytes
//     pop  %rbx         8 more
//     pop  %rbp         8 more, and that is where the caller's frame pointer is
//     ret               CFA = %rsp + 40
//
// This holds for callers as well as for where a thread stands. Which of two branches returns does not matter. Only
// what is behind a call that never returns is other code: ways that pass few calls come first, and the caller must be
// behind a call.
//
// Code of V8's is known better. What V8 has compiled begins and ends like this (Node 16 to 26; in front of it may
// be a check whether the code is valid):
//
//     push %rbp; mov %rsp,%rbp; push %rsi; push %rdi; push %rax …
//     … mov %rbp,%rsp; pop %rbp; cmp $N,%rcx; jg 1f; ret $8*N; 1: pop %r10; lea (%rsp,%rcx,8),%rsp; push %r10; ret
#pragma once

#include <functional>
#include <optional>

#include "base/bytes.h"
#include "lib/unwind.h"

namespace uscope::stack {

struct LeafRule {
    enum class Code { Compiled, Builtin };

    unwind_rule rule = {};
    bool has_register =
        false;  // the function is in its register, as the frame does not have it yet
};

// In code of V8's the thread stands at `at` of `code`. Nothing: there is a frame with all that it has, or it cannot
// be told.
std::optional<LeafRule> leaf_rule(Bytes code, uint64_t at, LeafRule::Code of);

// In any code, `at` is executed next in a frame. The first rule that `accepts`.
std::optional<unwind_rule> rule_ahead(Bytes code, uint64_t at,
                                      const std::function<bool(const unwind_rule &)> &accepts);

// The same by what the code has done since the last place before `at` where a function seems to begin, with push %rbp;
// mov %rsp,%rbp or with endbr64: of what never returns. Nothing where no way leads from there to `at`.
std::optional<unwind_rule> rule_behind(Bytes code, uint64_t at);

}  // namespace uscope::stack
