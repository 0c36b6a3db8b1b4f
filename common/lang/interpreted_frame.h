// A frame of an interpreted function.
#pragma once

#include <string>

namespace uscope::lang {

struct InterpretedFrame {
    std::string function = {};  // "" if it was gone before it could be read
    std::string source = {};    // "server.py:12"
    bool ends = false;          // the last frame of this activation of the loop
    bool is_stack_end = false;  // not a frame: the next ones have another C stack
    // Perl: a block, whose caller's position is written just before the block is executed.
    bool is_block = false;
    bool operator==(const InterpretedFrame &) const = default;
};

}  // namespace uscope::lang
