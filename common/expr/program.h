// A generated program: its instructions, with placeholders for maps and C functions that
// attach/link.h fills in, and the layouts of its record.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <linux/bpf.h>

#include "expr/map_slot.h"
#include "expr/record.h"

namespace uscope::expr {

// Counters: indexes of the map CallZero; the counter is the first 8 bytes of the value.
enum CallNumber : uint32_t {
    // Calls saved, less half the size of the map Calls: above 0, that LRU may have dropped some.
    call_may_be_forgotten = 1,
    abandoned_calls,    // replaced by a later call at the same stack pointer
    calls_tail_called,  // ended in a tail call, so that the result they were traced for is missing
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
    };  // a pseudo call whose imm becomes the distance
    std::vector<MapUse> maps;
    std::vector<CallUse> calls;
    // Layouts of the record, indexed by the high half of the tag: [0] has small strings, [1] is
    // used if a string did not fit.
    struct Layout {
        uint32_t record_bytes;
        std::vector<Field> fields;
    };
    std::vector<Layout> layouts;
    // The size of the call record that the entry program saves in MapSlot::Calls; 0: none is
    // needed.
    uint32_t call_bytes = 0;
    bool is_session = false;    // one program for entry and return; attach it as a session
    bool reads_memory = false;  // reads user memory: only if sleepable, also untouched pages
};

// The instructions as text, one per line, with the names of maps and functions.
std::string listing(const Program &program);

}  // namespace uscope::expr
