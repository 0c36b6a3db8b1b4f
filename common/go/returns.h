// Finds the return instructions of a Go function.
//
// The kernel's return probe replaces the return address on the stack. Go's runtime reads return
// addresses when it moves a growing stack and when it collects garbage, and aborts the program at
// an unknown one ("unexpected return pc"). So the probes for returns are on each `ret` of the
// function's code:
//
//      0: 49 3b 66 10             cmp 0x10(%r14),%rsp
//      4: 76 0e                   jbe 14
//      6: 48 85 c0                test %rax,%rax
//      9: 75 03                   jne e
//      b: 31 c0 c3                xor %eax,%eax; ret         a probe here
//      e: ff c8 c3                dec %eax; ret              and here
//     14: e8 … eb e5              call runtime.morestack_noctxt; jmp 0
//
// These are all exits of compiled code, with one exception: the wrapper that the compiler makes for
// a method of an embedded pointer jumps to the method, which then returns to the wrapper's caller.
// Assembly may also jump to other functions. Such functions are refused. (A program with net/http,
// built by Go 1.19, has 4,265 Go functions: 82 such wrappers, 21 such functions in assembly; 54
// more never return.)
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope::go {

// Returns the offsets of the return instructions, at least one. `function`: its whole code. Errors
// say why probes would not see every return, to follow the function's name: "leaves by a jump to
// another function".
Result<std::vector<uint64_t>> return_offsets(Bytes function);

}  // namespace uscope::go
