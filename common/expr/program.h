// A generated program: its instructions, with placeholders for maps and C functions that
// kernel/templates.h fills in, and the layouts of its record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <linux/bpf.h>

#include "expr/map_slot.h"
#include "expr/record.h"

namespace uscope::expr {

// The indexes of the counters in the map CallZero. A counter is the first 8 bytes of the value
// there.
enum CallNumber : uint32_t {
    // The number of inserted records, minus half the size of the map Calls. If it is above 0, this
    // LRU map may have dropped some.
    call_may_be_forgotten = 1,
    abandoned_calls,    // replaced by a later call at the same stack pointer
    calls_tail_called,  // ended in a tail call, so that their result is unknown
    call_numbers,       // the number of entries of CallZero
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
    };  // a BPF_PSEUDO_CALL whose imm becomes the distance to `function`
    std::vector<MapUse> maps;
    std::vector<CallUse> calls;
    // Layouts of the record, indexed by the high half of the tag. If there are two, [0] has small
    // strings, and the program uses [1] if a string does not fit into [0].
    struct Layout {
        uint32_t record_bytes;
        std::vector<Field> fields;
    };
    std::vector<Layout> layouts;
    // The size of the call record that the entry program saves in MapSlot::Calls; 0: none is
    // needed.
    uint32_t call_bytes = 0;
    bool is_session = false;    // one program for entry and return; attach it as a session
    bool reads_memory = false;  // reads user memory (pages not touched yet only if it may sleep)
};

// The instructions as text, one per line, with the names of maps and functions.
std::string listing(const Program &program);

}  // namespace uscope::expr
