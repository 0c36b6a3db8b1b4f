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
// (Go >= 1.17 on x86-64; cmd/internal/obj/x86: stacksplit.)
#pragma once

#include "base/bytes.h"

namespace uscope::go {

// The offset of the first instruction behind the stack check; 0 when the function has none.
uint64_t entry_offset(Bytes function);

}  // namespace uscope::go
