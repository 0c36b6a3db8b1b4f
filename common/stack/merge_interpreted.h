// One stack of two: C frames, and the frames that an interpreter has executed meanwhile.
//
// Interpreted frames come in runs, one for each activation of the interpreter's loop. A run takes the place of
// the loop's frame:
//
//     malloc            malloc
//     loop        b     b (a.py:3)
//     sort        a     a (a.py:7)
//     loop        main  sort
//     Py_Main           main (a.py:9)
//                       Py_Main
//
// At the leaf there may be a loop without a run, or a run without a loop: of one that has just begun or ended. So
// they are paired from the other end; if that is missing, from the leaf, and what is left is added. Where runs are more
// than loops, and there is code of a JIT compiler, that executes the others.
//
// Perl's loop may call itself for an eval, by way of a function which catches what is thrown there: that is one
// activation.
#pragma once

#include <vector>

#include "stack/symbolize.h"

namespace uscope::stack {

struct FrameAt : Frame {
    uint64_t address = 0;  // of the C frame
};

// `frames`: the C frames, as far as they are shown.
std::vector<FrameAt> merge_interpreted(std::vector<FrameAt> frames, const UserStack &stack);

}  // namespace uscope::stack
