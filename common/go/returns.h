// Where a Go function returns.
//
// The kernel's return probe replaces the return address on the stack. Go's runtime reads those
// addresses, when it moves a stack that has to grow and when it collects garbage, and ends the
// program at one that it does not know ("unexpected return pc"). So a return is probed where it
// happens: on each `ret` of the function's code.
//
//      0: 49 3b 66 10             cmp 0x10(%r14),%rsp
//      4: 76 0e                   jbe 14
//      6: 48 85 c0                test %rax,%rax
//      9: 75 03                   jne e
//      b: 31 c0 c3                xor %eax,%eax; ret         here,
//      e: ff c8 c3                dec %eax; ret              and here
//     14: e8 … eb e5              call runtime.morestack_noctxt; jmp 0
//
// These are all ways out that compiled code has, but for one: the wrapper that the compiler makes
// for a method of an embedded pointer jumps to the method, which then returns in its place.
// Assembly code jumps elsewhere, too. Such functions are refused. (Of the 4,265 Go functions of a
// program with net/http, built by Go 1.19: 82 wrappers and 21 in assembly; 54 more never return.)
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope::go {

// The offsets of the return instructions in `function`, which is its whole code; at least one.
// Errors say why probes there would not see every return, to be put behind the function's name:
// "leaves by a jump to another function".
Result<std::vector<uint64_t>> return_offsets(Bytes function);

}  // namespace uscope::go
