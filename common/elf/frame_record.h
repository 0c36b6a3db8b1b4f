// Parses one record of .eh_frame or .debug_frame (elf/frames.h). A record describes a range of
// code, and where the frame is at each instruction in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace uscope::elf {

// A CIE: what many records have in common.
struct CommonRecord {
    uint8_t address_encoding = 0;
    uint8_t handlers_encoding = 0xff;  // how the handler table's address is encoded; 0xff: no table
    bool has_augmentation = false;
    bool is_signal = false;
    uint64_t code_factor = 1;
    int64_t data_factor = 1;
    uint64_t return_register = 0;
    Bytes program;
};

// A section with such records.
struct FrameSection {
    Bytes bytes = {};
    uint64_t vaddr = 0;
    // .debug_frame: records point to their CIE by its offset in the section, and addresses are
    // absolute.
    bool is_debug = false;
};

struct FrameRecord {              // an FDE
    uint64_t start = 0, end = 0;  // the code's virtual addresses
    uint64_t handlers = 0;        // address of its table of exception handlers; 0: none
    Bytes program;
    CommonRecord common;
};

// Returns the FDE at offset `at` of the section; nullopt if there is no FDE, or its format is
// unknown.
std::optional<FrameRecord> frame_record_at(const FrameSection &section, uint64_t at);
// Returns the offset where the record at `at` ends; nullopt after the last one.
std::optional<uint64_t> record_end(Bytes section, uint64_t at);

// Returns the addresses of the code that catches exceptions, from the handler table at `vaddr` of
// the function that starts at `start`. `table`: the bytes from `vaddr` on, which may be longer than
// the table. Returns nullopt if the table's format is unknown. (The C++ ABI for Itanium, "Exception
// Handling Tables".)
std::optional<std::vector<uint64_t>> landing_pads(Bytes table, uint64_t vaddr, uint64_t start);

// Returns the search table of .eh_frame_hdr: pairs of int32, the start of a piece of code and the
// address of its record, both relative to `vaddr`. `header` is .eh_frame_hdr, at `vaddr`. Returns
// nullopt if the table has another form.
std::optional<Bytes> frame_index(Bytes header, uint64_t vaddr);
// Returns the address of .eh_frame from .eh_frame_hdr, or 0 if that does not have it.
uint64_t frames_vaddr(Bytes header, uint64_t vaddr);

}  // namespace uscope::elf
