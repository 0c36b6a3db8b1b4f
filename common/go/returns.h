// Finds the return instructions of a Go function, on which the probes for its returns are placed.
//
// The kernel's own return probe must not be used with Go. It replaces the return address on the
// stack; Go's runtime reads return addresses when it moves a growing stack and when it collects
// garbage, and aborts the program if it does not know one ("unexpected return pc"). So a probe is
// placed on each `ret` of the function's code:
//
//      0: 49 3b 66 10             cmp 0x10(%r14),%rsp
//      4: 76 0e                   jbe 14
//      6: 48 85 c0                test %rax,%rax
//      9: 75 03                   jne e
//      b: 31 c0 c3                xor %eax,%eax; ret         a probe here
//      e: ff c8 c3                dec %eax; ret              and here
//     14: e8 … eb e5              call runtime.morestack_noctxt; jmp 0
//
// A function of compiled Go code leaves only by a `ret`, with one exception: the wrapper that the
// compiler generates for a method of an embedded pointer jumps to the method, and the method then
// returns to the wrapper's caller. Functions in assembly may also jump to other functions. The
// tools refuse to trace returns of a function with such jumps. (Of the 4,265 Go functions in a
// program with net/http, built by Go 1.19, 82 are such wrappers and 21 are such functions in
// assembly; 54 more never return.)
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace uscope::go {

// Returns the offsets of the return instructions, at least one. `function`: all of its code.
// Errors: probes there would not see every return. The message is written to follow the function's
// name: "leaves by a jump to another function (+0x14)".
Result<std::vector<uint64_t>> return_offsets(Bytes function);

}  // namespace uscope::go
