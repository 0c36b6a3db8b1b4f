// Finds functions and how to unwind their stack frames from .eh_frame, the unwinding table that
// nearly every compiled file has, even a stripped one.
//
// .eh_frame is a list of records of two kinds. An FDE describes a range of code [start, end): a
// function, or a part of one that the compiler moved elsewhere (`f.cold`). A CIE has the data that
// many FDEs have in common. Both contain a small program that says, for each instruction of the
// code, where its stack frame begins (the canonical frame address, CFA) and where the caller's
// registers are saved. At the first instruction of a function that was called, the CFA is %rsp + 8,
// and the return address is in the 8 bytes below the CFA, because the function has pushed nothing
// yet. A moved part starts with the frame that its function has built. Code that no call
// instruction enters (_start, a signal trampoline, the dynamic linker's resolver) starts with
// another CFA.
//
// .eh_frame_hdr has an index of the FDEs, sorted by the starts of their code, and the address of
// .eh_frame. The program header PT_GNU_EH_FRAME has the address of .eh_frame_hdr, so both can be
// found without section headers. (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.)
//
// .debug_frame has the same contents in a similar format, for debuggers, if code was compiled
// without .eh_frame. .sframe has rows, but not what belongs to exceptions; it serves only where the
// other two say nothing (elf/sframe.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "elf/frame_record.h"
#include "elf/frame_row.h"
#include "elf/sframe.h"

namespace uscope::elf {

class Image;

// A range of code that an FDE describes.
struct Frame {
    uint64_t start = 0, end = 0;  // the code's virtual addresses
    bool is_called = false;       // starts as a called function does: not a moved part, not _start
};

class Frames {
  public:
    // Reads only headers if the file has an index, else all records. For a file without these
    // tables, all other functions find nothing. The result must not outlive the image.
    static Frames of(const Image &image);

    // Returns the range of code that contains `vaddr`; nullopt if no FDE does, or its format is
    // unknown.
    std::optional<Frame> at(uint64_t vaddr) const;
    // Returns the ranges of code that start as called functions do, in address order.
    std::vector<Frame> called() const;
    // Does the function have a frame of its own on the stack at the instruction at `vaddr`? A jump
    // from or to such an instruction stays inside the function, because a function removes its
    // frame before it leaves. Returns false if unknown.
    bool keeps_frame(uint64_t vaddr) const;
    // Returns how to unwind from the instruction at `vaddr` to the caller; nullopt if no table
    // describes it.
    std::optional<UnwindRow> unwind_row(uint64_t vaddr) const;
    // Returns the addresses of the code that runs when an exception passes through the range of
    // code that contains `vaddr` (landing pads). They may be in that range or in another one. Empty
    // if it handles no exceptions; nullopt if its table of handlers has an unknown format.
    std::optional<std::vector<uint64_t>> landing_pads(uint64_t vaddr) const;

  private:
    struct Entry {
        uint64_t start, record;  // virtual addresses: start of the code; its FDE
    };
    explicit Frames(const Image &image) : image_(&image) {}
    // .eh_frame or .debug_frame
    struct Table {
        FrameSection section = {};
        uint64_t index_vaddr = 0;
        Bytes index = {};  // see frame_index(); addresses relative to index_vaddr
        size_t count = 0;
        std::vector<Entry> listed = {};  // all FDEs, if there is no index

        void list_records();
        std::optional<Entry> entry(size_t number) const;
        std::optional<FrameRecord> record(uint64_t vaddr) const;
    };
    std::optional<Table> exception_table() const;
    std::optional<Table> debug_table() const;
    std::optional<FrameRecord> record(uint64_t vaddr) const;

    const Image *image_;
    std::vector<Table> tables_;  // the first one that has a record for an address wins
    std::optional<SFrame> sframe_;
};

}  // namespace uscope::elf
