// Where a probe on a Go function's entry goes.
//
// Most Go functions start by comparing the stack pointer with the goroutine's limit, g.stackguard0
// at 16(%r14), and jump to runtime.morestack when there is too little left; that moves the stack
// and calls the function again from its start. A probe on the first instruction would fire twice
// for such a call.
//
//     49 3b 66 10       cmp 0x10(%r14),%rsp          frames up to a few hundred bytes
//     76 xx             jbe morestack                (or 0f 86 xx xx xx xx)
//
//     4c 8d 64 24 xx    lea -xx(%rsp),%r12           larger ones (or 4c 8d a4 24 xx xx xx xx)
//     4d 3b 66 10       cmp 0x10(%r14),%r12
//     76 xx             jbe morestack
//
//     49 89 e4          mov %rsp,%r12                beyond 4 KB: the subtraction may wrap
//     49 81 ec …        sub $xx,%r12
//     72 xx             jb morestack                 (or 0f 82 xx xx xx xx)
//     4d 3b 66 10       cmp 0x10(%r14),%r12
//     76 xx             jbe morestack
//
// Before Go 1.17 the goroutine is in the thread's own memory, and first fetched from there:
//
//     64 48 8b 0c 25 f8 ff ff ff   mov %fs:-8,%rcx
//                       (or 48 c7 c1 f8 ff ff ff  mov $-8,%rcx; 64 48 8b 09  mov %fs:(%rcx),%rcx)
//     48 3b 61 10       cmp 0x10(%rcx),%rsp
//     76 xx             jbe morestack
//
//     48 8d 44 24 xx    lea -xx(%rsp),%rax           larger ones
//     48 3b 41 10       cmp 0x10(%rcx),%rax
//     76 xx             jbe morestack
//
//     48 8b 71 10       mov 0x10(%rcx),%rsi          beyond 4 KB
//     48 81 fe de fa ff ff  cmp $-1314,%rsi          which asks the goroutine to stop
//     74 xx             je morestack
//     48 8d 84 24 …     lea 0x3a0(%rsp),%rax
//     48 29 f0          sub %rsi,%rax
//     48 3d …           cmp $xx,%rax
//     76 xx             jbe morestack
//
// (On x86-64; cmd/internal/obj/x86: stacksplit.)
#pragma once

#include "base/bytes.h"

namespace uscope::go {

// The offset of the first instruction behind the stack check; 0 when the function has none.
uint64_t entry_offset(Bytes function);

// The same of its last jump, which the kernel emulates, and need not single-step. When it jumps, the
// call comes once more.
uint64_t call_offset(Bytes function);

}  // namespace uscope::go
