// Finds the instruction on which to place a probe that fires once for each call of a Go function.
//
// Most Go functions start with a stack check: they compare the stack pointer with the lowest
// address that the goroutine's stack may use (g.stackguard0, at 16(%r14)). If the stack is too
// small for the function's frame, the function jumps to runtime.morestack, which copies the stack
// to a larger one and runs the function again from its first instruction. A probe on the first
// instruction would fire twice for such a call. So the probe is placed after the stack check, which
// is one of the following. The compiler chooses by the size of the frame:
//
//     49 3b 66 10       cmp 0x10(%r14),%rsp          frames of up to a few hundred bytes
//     76 xx             jbe morestack                (or 0f 86 xx xx xx xx)
//
//     4c 8d 64 24 xx    lea -xx(%rsp),%r12           larger frames (or 4c 8d a4 24 xx xx xx xx)
//     4d 3b 66 10       cmp 0x10(%r14),%r12
//     76 xx             jbe morestack
//
//     49 89 e4          mov %rsp,%r12                above 4 KB (the subtraction may wrap)
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
//     48 8d 44 24 xx    lea -xx(%rsp),%rax           larger frames
//     48 3b 41 10       cmp 0x10(%rcx),%rax
//     76 xx             jbe morestack
//
//     48 8b 71 10       mov 0x10(%rcx),%rsi          frames above 4 KB
//     48 81 fe de fa ff ff  cmp $-1314,%rsi          the runtime asks the goroutine to stop
//     74 xx             je morestack
//     48 8d 84 24 …     lea 0x3a0(%rsp),%rax
//     48 29 f0          sub %rsi,%rax
//     48 3d …           cmp $xx,%rax
//     76 xx             jbe morestack
//
// (All of this is for x86-64. In Go's source, stacksplit() in cmd/internal/obj/x86 generates it.)
#pragma once

#include "base/bytes.h"

namespace uscope::go {

// Returns the offset of the first instruction after the stack check; 0 if the function has no stack
// check. `function`: its code.
uint64_t entry_offset(Bytes function);

// Returns the offset of the last conditional jump of the stack check, which every call executes; 0
// if the function has no stack check. A probe there is cheap, because the kernel emulates jumps and
// need not single-step them. It fires again if the jump is taken, because the function then starts
// again.
uint64_t call_offset(Bytes function);

}  // namespace uscope::go
