// Follows the code of one function from its first instruction to find where it leaves the function.
//
// It follows jumps (also into parts that the compiler moved elsewhere), jump tables, and the code
// that catches exceptions. The function's code shows whether a jump table was read correctly: the
// table's targets must be starts of instructions, and no unvisited code between them may leave the
// function. Otherwise read_body() refuses the function, because the unvisited bytes may be data.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "elf/stubs.h"
#include "resolve/exit_branches.h"
#include "resolve/jump_tables.h"

namespace uscope::resolve {

// All addresses are virtual.
struct FunctionBody {
    struct TailCall {
        uint64_t jump, target;
        bool is_certain;  // an unconditional jump
        bool can_probe;
    };
    std::vector<uint64_t> returns;
    std::vector<TailCall> tail_calls;  // to functions of this file
    std::vector<uint64_t> tail_jumps;  // indirect jumps to unknown functions; each can be probed
    bool calls = false;                // calls functions or the kernel
    bool may_leave_unseen = false;     // there may be other exits
    // x86-64, on request; without nodes if there may be unknown ways into the function's code.
    FlowGraph graph = {};
    BranchExits by_branches = {};  // set by ExitFinder
};

// Reads the function at `start` with `size` bytes (0: unknown). The texts of errors lack the
// function's name; callers put it before them. `with_graph`: also stores the graph.
Result<FunctionBody> read_body(const elf::Image &image, const elf::Frames &frames,
                               const JumpTables &tables, const elf::OwnLinks &links, uint64_t start,
                               uint64_t size, bool with_graph);

}  // namespace uscope::resolve
