// Merges two stacks of a thread: its C frames, and the frames that an interpreter (Python, Ruby …)
// was executing at the same time.
//
// The interpreter's loop is a C function that executes bytecode. Interpreted frames come in runs,
// one run for each activation of the loop. A run replaces the loop's C frame:
//
//     C frames    runs  merged
//     malloc            malloc
//     loop        b     b (a.py:3)
//     sort        a     a (a.py:7)
//     loop        main  sort
//     Py_Main           main (a.py:9)
//                       Py_Main
//
// At the leaf there may be a loop without a run, or a run without a loop, when an activation has
// just begun or ended. So loops and runs are paired from the root. If the stack's root is missing,
// they are paired from the leaf, and the remaining runs are appended. If there are more runs than
// loops, and the stack has frames of JIT code, these execute the surplus runs.
//
// Perl's loop may call itself for an eval, through a function that catches exceptions. Both loops
// count as one activation.
#pragma once

#include <vector>

#include "symbols/symbolize.h"

namespace uscope::symbols {

struct FrameAt : Frame {
    uint64_t address = 0;  // of the C frame
};

// `frames`: the C frames that will be shown.
std::vector<FrameAt> merge_interpreted(std::vector<FrameAt> frames, const unwind::UserStack &stack);

}  // namespace uscope::symbols
