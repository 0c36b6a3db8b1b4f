// A frame of an interpreter's.
#pragma once

#include <string>

namespace uscope::lang {

// A function that an interpreter executed.
struct InterpretedFrame {
    std::string function = {};  // "" when it was too late to read it
    std::string source = {};    // "server.py:12"
    bool ends = false;          // the last one of the loop's activation
    bool is_stack_end = false;  // it is none: those that follow have another C stack
    bool is_block = false;      // of Perl: its caller's place is written just before it is executed
    bool operator==(const InterpretedFrame &) const = default;
};

}  // namespace uscope::lang
