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
// .eh_frame_hdr is an index of the FDEs, sorted by their starts.  (Linux Standard Base, "Exception
// Frames"; DWARF 5, 6.4.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "elf/frame_row.h"

namespace uscope::elf {

class Image;
struct FrameRecord;

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
    // Reads only headers. The result is empty for a file without .eh_frame.
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
    bool find_index();
    void list_records();
    std::optional<Entry> entry(size_t index) const;
    std::optional<FrameRecord> record(uint64_t vaddr) const;

    const Image *image_;
    uint64_t frames_vaddr_ = 0;  // of .eh_frame
    Bytes frames_;
    uint64_t index_vaddr_ = 0;
    Bytes index_;  // pairs of int32, relative to index_vaddr_
    size_t count_ = 0;
    std::vector<Entry> listed_;  // without an index
};

}  // namespace uscope::elf
