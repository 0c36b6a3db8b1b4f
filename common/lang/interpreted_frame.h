// A frame of an interpreted function.
#pragma once

#include <string>

namespace uscope::lang {

struct InterpretedFrame {
    std::string function = {};  // "" if it was gone before it could be read
    std::string source = {};    // "server.py:12"
    bool ends = false;          // the last frame that this call of the evaluation loop executes
    bool is_stack_end = false;  // not a frame: the next frames are on another C stack
    // Perl: a block. Perl writes the position of the block's caller just before it executes the
    // block; until then, the position is that of the previous block's caller.
    bool is_block = false;
    bool operator==(const InterpretedFrame &) const = default;
};

}  // namespace uscope::lang
