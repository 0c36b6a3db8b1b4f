// A generated program: instructions with placeholders for maps and C functions, which attach/link.h
// puts in, and the layouts of its record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <linux/bpf.h>

#include "expr/map_slot.h"
#include "expr/record.h"

namespace uscope::expr {

// At which index of CallZero, in its first 8 bytes:
enum CallNumber : uint32_t {
    call_may_be_forgotten =
        1,              // above 0: the map Calls, which forgets the oldest, may have done so
    abandoned_calls,    // those that another call has since replaced on the same stack
    calls_tail_called,  // those that ended in a tail call whose result was wanted
    call_numbers,       // how many entries CallZero has
};

struct Program {
    std::vector<bpf_insn> insns;
    struct MapUse {
        size_t insn;
        MapSlot map;
    };  // a ld_imm64 whose imm becomes the map's fd
    struct CallUse {
        size_t insn;
        std::string function;
    };  // a pseudo call whose imm becomes the distance
    std::vector<MapUse> maps;
    std::vector<CallUse> calls;
    // Layouts of the record, by the `layout` half of the tag: [0] small strings, [1] if a string
    // did not fit.
    struct Layout {
        uint32_t record_bytes;
        std::vector<Field> fields;
    };
    std::vector<Layout> layouts;
    // What the entry program saves in MapSlot::Calls: its value size in bytes (0: no call record
    // needed).
    uint32_t call_bytes = 0;
    bool is_session = false;    // one program for entry and return, to be attached as such
    bool reads_memory = false;  // needs to be sleepable to see pages the target has not touched
};

// Instructions as text, one a line, with map and function names.
std::string listing(const Program &program);

}  // namespace uscope::expr
