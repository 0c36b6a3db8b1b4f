// What the instructions of a Go function do with the stack, which its tables do not say.
#pragma once

#include <cstdint>

#include "elf/image.h"

namespace uscope::elf {

// Does the function save the frame pointer next to the return address: in the instruction that
// makes the frame, which ends at `framed_from`, or in the one after it? `bytes`: the size of the
// frame.
bool saves_frame_pointer(const Image &image, uint64_t framed_from, uint64_t bytes);

// Does this code (x86-64) load a new value into the stack pointer, as code does that switches to
// another stack? Also returns true if bytes only look like such an instruction.
bool may_move_stack(const Image &image, uint64_t vaddr, uint64_t length);

}  // namespace uscope::elf
