// Finds the instruction for a probe on a Go function's entry.
//
// Most Go functions first compare the stack pointer with the goroutine's limit, g.stackguard0 at
// 16(%r14). If too little of the stack is left, they jump to runtime.morestack, which moves the
// stack and starts the function again. A probe on the first instruction would fire twice for such a
// call.
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
// Before Go 1.17, the function first loads the goroutine from thread-local memory:
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
//     48 81 fe de fa ff ff  cmp $-1314,%rsi          a request to the goroutine to stop
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

// The offset of the first instruction after the stack check; 0 if the function has no stack check.
uint64_t entry_offset(Bytes function);

// The offset of the last jump of the stack check; 0 if there is none. The kernel emulates jumps
// instead of single-stepping them. If the jump is taken, the call passes it again.
uint64_t call_offset(Bytes function);

}  // namespace uscope::go
