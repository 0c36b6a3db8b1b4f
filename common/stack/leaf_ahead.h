// The caller of code without a table where a thread stands, by what the code does next with its frame. The frame pointer is the
// caller's as long as the code has not made its own frame, has ended it, or does without one; and whatever the way to an
// instruction is, the stack is the same there. So it is seen from the next of: push %rbp; mov %rsp,%rbp, or pop %rbp, or the return.
//
// That is so of assembly, and of V8's code. What V8 has compiled begins and ends like this (Node 16 to 26; in front of it may
// be a check whether the code is valid):
//
//     push %rbp; mov %rsp,%rbp; push %rsi; push %rdi; push %rax …
//     … mov %rbp,%rsp; pop %rbp; cmp $N,%rcx; jg 1f; ret $8*N; 1: pop %r10; lea (%rsp,%rcx,8),%rsp; push %r10; ret
#pragma once

#include <optional>

#include "base/bytes.h"
#include "lib/unwind.h"

namespace uscope::stack {

struct LeafAhead {
    enum class Code { Compiled, Builtin, Other };  // by V8; of V8's; or anything

    unwind_rule rule = {};
    bool has_register =
        false;  // of V8: the function is in its register, as the frame does not have it yet
};

// The thread stands at `at` of `code`. Nothing: there is a frame with all that it has, or it cannot be told.
std::optional<LeafAhead> leaf_ahead(Bytes code, uint64_t at, LeafAhead::Code of);

}  // namespace uscope::stack
