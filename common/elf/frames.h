// Which code belongs to one function, and how it is entered: by .eh_frame, the tables for unwinding
// that nearly every compiled file has, also when it is stripped.
//
// .eh_frame is a list of records. An FDE describes a piece of code [start, end): a function, or a
// part of one that the compiler moved elsewhere (`f.cold`). A CIE holds what many FDEs have in
// common. Both hold a small program that says, for each place in the code, where the caller's frame
// begins (the CFA) and where registers are saved. At the first instruction of a function that is
// called, the CFA is %rsp + 8 and the return address lies below it: nothing has been pushed yet. A
// moved part begins with its function's frame, and what is not called at all (_start, a signal's
// trampoline, the dynamic linker's resolver) says otherwise.
//
// .eh_frame_hdr is an index of the FDEs, sorted by their starts, and says where .eh_frame is: so both are found without
// section headers, too, by PT_GNU_EH_FRAME.  (Linux Standard Base, "Exception Frames"; DWARF 5, 6.4.)
//
// .debug_frame has the same for debuggers, of code that was compiled without tables for exceptions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "elf/frame_record.h"
#include "elf/frame_row.h"

namespace uscope::elf {

class Image;

struct Frame {
    uint64_t start = 0, end = 0;  // of the code: virtual addresses
    bool is_called = false;       // at its start the return address is where a call puts it
};

struct UnwindRow {
    FrameRow row;
    bool is_signal = false;  // a signal's trampoline: what it returns to was interrupted anywhere
};

class Frames {
  public:
    // Reads only headers, where there is an index. The result is empty for a file without such tables.
    static Frames of(const Image &image);

    // The piece of code that holds `vaddr`; nothing when no FDE does, or when its FDE is not understood.
    std::optional<Frame> at(uint64_t vaddr) const;
    // Is there more on the stack, at the instruction at `vaddr`, than when its function began? Then
    // a jump there does not leave the function. False when nothing is known.
    bool keeps_frame(uint64_t vaddr) const;
    // How to go from there to the caller; nothing when no table says it.
    std::optional<UnwindRow> unwind_row(uint64_t vaddr) const;
    // Where exceptions are caught in the piece of code that holds `vaddr`: in that piece or another
    // one. Nothing when its table is not understood.
    std::optional<std::vector<uint64_t>> landing_pads(uint64_t vaddr) const;

  private:
    struct Entry {
        uint64_t start, record;  // virtual addresses: of the code, of the FDE
    };
    explicit Frames(const Image &image) : image_(&image) {}
    struct Table {
        FrameSection section = {};
        uint64_t index_vaddr = 0;
        Bytes index = {};  // pairs of int32, relative to index_vaddr
        size_t count = 0;
        std::vector<Entry> listed = {};  // without an index

        void list_records();
        std::optional<Entry> entry(size_t number) const;
        std::optional<FrameRecord> record(uint64_t vaddr) const;
    };
    std::optional<Table> exception_table() const;
    std::optional<Table> debug_table() const;
    std::optional<FrameRecord> record(uint64_t vaddr) const;

    const Image *image_;
    std::vector<Table> tables_;  // the first one that has a record is right
};

}  // namespace uscope::elf
