// One record of .eh_frame or .debug_frame (elf/frames.h): a piece of code, and where a frame is at each place in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace uscope::elf {

// What is the same for many records: a CIE.
struct CommonRecord {
    uint8_t address_encoding = 0;
    uint8_t handlers_encoding =
        0xff;  // of the address of the table of handlers; 0xff: there is none
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
    // .debug_frame: its records point to their CIE by its offset, and hold addresses as they are.
    bool is_debug = false;
};

struct FrameRecord {              // an FDE
    uint64_t start = 0, end = 0;  // of the code: virtual addresses
    uint64_t handlers = 0;        // the table of its exception handlers; 0: it has none
    Bytes program;
    CommonRecord common;
};

// The record at `at` of the section; nothing when it is none, or not understood.
std::optional<FrameRecord> frame_record_at(const FrameSection &section, uint64_t at);
// Where the record at `at` ends; nothing behind the last one.
std::optional<uint64_t> record_end(Bytes section, uint64_t at);

// Where exceptions are caught: what the table of handlers at `vaddr` (`table`: its bytes and what
// follows it) says of the code that starts at `start`. Nothing when it is not understood.
// (The C++ ABI for Itanium, "Exception Handling Tables".)
std::optional<std::vector<uint64_t>> landing_pads(Bytes table, uint64_t vaddr, uint64_t start);

// The index of .eh_frame in .eh_frame_hdr, `header`, which lies at `vaddr`: pairs of int32, where
// code starts and where its record is, relative to `vaddr`. Nothing when it has another form.
std::optional<Bytes> frame_index(Bytes header, uint64_t vaddr);
// Where .eh_frame is, as .eh_frame_hdr says; 0: it does not.
uint64_t frames_vaddr(Bytes header, uint64_t vaddr);

}  // namespace uscope::elf
