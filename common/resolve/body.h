// The code of one function, followed from its first instruction: where it leaves the function.
//
// Followed are its jumps, into the parts that the compiler moved elsewhere as well, the places where
// it catches exceptions, and its jump tables. Whether a table was read right is seen in the code:
// what the tables lead to are starts of instructions, and no code that leaves the function is left
// over between them. Else the function is refused: what was left over may be data.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/stubs.h"
#include "resolve/jump_tables.h"

namespace uscope::resolve {

struct FunctionBody {  // all addresses are virtual ones
    struct TailCall {
        uint64_t jump, target;
        bool is_certain;  // no branch: it is taken whenever it is reached
        bool can_probe;
    };
    std::vector<uint64_t> returns;
    std::vector<TailCall> tail_calls;  // to functions of this file
    std::vector<uint64_t> tail_jumps;  // to functions elsewhere, that can be probed
    bool calls = false;                // a function or the kernel
    bool may_leave_unseen = false;     // there may be other ways out
};

// Of the function at `start` with `size` bytes (0: not known). The caller puts the function's name before an error's text.
Result<FunctionBody> read_body(const elf::Image &image, const elf::Frames &frames,
                               const JumpTables &tables, const elf::OwnLinks &links, uint64_t start,
                               uint64_t size);

}  // namespace uscope::resolve
