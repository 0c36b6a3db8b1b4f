// Parses single records of the unwinding tables .eh_frame and .debug_frame; elf/frames.h explains
// them. A record (FDE) belongs to a range of code and describes the stack frame at each instruction
// of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace uscope::elf {

// A CIE: the data that many FDEs have in common.
struct CommonRecord {
    uint8_t address_encoding = 0;
    uint8_t handlers_encoding = 0xff;  // encoding of the address of exception handlers; 0xff: none
    bool has_augmentation = false;
    bool is_signal = false;
    uint64_t code_factor = 1;
    int64_t data_factor = 1;
    uint64_t return_register = 0;
    Bytes program;  // operations that come before those of each FDE (elf/frame_row.h)
};

// A section with such records.
struct FrameSection {
    Bytes bytes = {};
    uint64_t vaddr = 0;
    // True for .debug_frame: an FDE has its CIE's offset in the section, and addresses are
    // absolute. False for .eh_frame: an FDE has the distance to its CIE, and the CIE gives the
    // encoding of addresses.
    bool is_debug = false;
};

struct FrameRecord {              // an FDE
    uint64_t start = 0, end = 0;  // the code's virtual addresses
    uint64_t handlers = 0;        // address of the code's table of exception handlers; 0: none
    Bytes program;
    CommonRecord common;
};

// Returns the FDE at offset `at` of the section; nullopt if the record there is not an FDE, or has
// an unknown format.
std::optional<FrameRecord> frame_record_at(const FrameSection &section, uint64_t at);
// Returns the offset of the end of the record at `at`, where the next one begins; nullopt if there
// is no record at `at`.
std::optional<uint64_t> record_end(Bytes section, uint64_t at);

// Returns the addresses of the code that runs when an exception passes through a function (landing
// pads), from the function's table of exception handlers. `table`: the bytes of the file from the
// table's address `vaddr` on; they may extend beyond the table. `start`: the start of the FDE's
// code. Returns nullopt if the table has an unknown format. (The C++ ABI for Itanium, "Exception
// Handling Tables".)
std::optional<std::vector<uint64_t>> landing_pads(Bytes table, uint64_t vaddr, uint64_t start);

// Returns the table in .eh_frame_hdr for binary searches. It consists of pairs of int32: the start
// of a range of code and the address of its FDE, both relative to `vaddr`. `header`: the bytes of
// .eh_frame_hdr; `vaddr`: its address. Returns nullopt if the table has another format.
std::optional<Bytes> frame_index(Bytes header, uint64_t vaddr);
// Returns the address of .eh_frame, which .eh_frame_hdr contains; 0 if it does not.
uint64_t frames_vaddr(Bytes header, uint64_t vaddr);

}  // namespace uscope::elf
