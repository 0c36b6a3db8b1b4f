// The caller of code of V8's where a thread stands: code that it has made, or its builtins. There is no table, and the frame
// pointer is the caller's as long as the code has not made its own frame, has ended it, or does without one. Compiled code
// begins and ends so (Node 16 to 26; in front of it may be a check whether the code is valid):
//
//     push %rbp; mov %rsp,%rbp; push %rsi; push %rdi; push %rax …
//     … mov %rbp,%rsp; pop %rbp; cmp $N,%rcx; jg 1f; ret $8*N; 1: pop %r10; lea (%rsp,%rcx,8),%rsp; push %r10; ret
//
// Whatever the way to an instruction is, V8's code has the same stack there; so what comes next of these tells what there is.
#pragma once

#include <optional>

#include "base/bytes.h"
#include "lib/unwind.h"

namespace uscope::stack {

struct V8Leaf {
    unwind_rule rule = {};
    bool has_register = false;  // the function is in its register: the frame does not have it yet
};

// The thread stands at `at` of `code`. Nothing: there is a frame with all that it has, or it cannot be told.
std::optional<V8Leaf> v8_leaf(Bytes code, uint64_t at, bool is_builtin);

}  // namespace uscope::stack
