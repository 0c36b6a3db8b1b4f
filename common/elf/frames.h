// Finds the code of a function, how it is entered and how its frames unwind, from .eh_frame: the
// unwinding tables that nearly every compiled file has, even a stripped one.
//
// .eh_frame is a list of records. An FDE describes a piece of code [start, end): a function, or a
// part of one that the compiler moved elsewhere (`f.cold`). A CIE holds what many FDEs have in
// common. Both hold a small program that says, for each instruction of the code, where the caller's
// frame begins (the CFA) and where registers are saved. At the first instruction of a called
// function, the CFA is %rsp + 8 and the return address lies below it, because nothing has been
// pushed yet. A moved part starts with its function's frame instead. Code that is not called at all
// (_start, a signal trampoline, the dynamic linker's resolver) starts with another CFA.
//
// .eh_frame_hdr is an index of the FDEs, sorted by their starts, and has the address of .eh_frame.
// PT_GNU_EH_FRAME points to it, so both can be found without section headers. (Linux Standard Base,
// "Exception Frames"; DWARF 5, 6.4.)
//
// .debug_frame holds the same for debuggers, for code compiled without exception tables.
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
    uint64_t start = 0, end = 0;  // the code's virtual addresses
    bool is_called = false;       // at its start, the return address is where a call puts it
};

struct UnwindRow {
    FrameRow row;
    // A signal trampoline: it returns to an interrupted instruction, not after a call.
    bool is_signal = false;
};

class Frames {
  public:
    // Reads only headers if there is an index. The result is empty for a file without these tables.
    static Frames of(const Image &image);

    // Returns the piece of code that holds `vaddr`; nullopt if no FDE covers it, or its FDE has an
    // unknown format.
    std::optional<Frame> at(uint64_t vaddr) const;
    // Is the stack deeper at the instruction at `vaddr` than when its function began? Then a jump
    // there does not leave the function. Returns false if unknown.
    bool keeps_frame(uint64_t vaddr) const;
    // Returns how to unwind from `vaddr` to the caller; nullopt if no table covers it.
    std::optional<UnwindRow> unwind_row(uint64_t vaddr) const;
    // Returns the addresses of the code that catches the exceptions of the piece of code that holds
    // `vaddr`. They may be in that piece or in another one. Empty if it catches none; nullopt if
    // its table has an unknown format.
    std::optional<std::vector<uint64_t>> landing_pads(uint64_t vaddr) const;

  private:
    struct Entry {
        uint64_t start, record;  // virtual addresses of the code and of its FDE
    };
    explicit Frames(const Image &image) : image_(&image) {}
    struct Table {
        FrameSection section = {};
        uint64_t index_vaddr = 0;
        Bytes index = {};  // pairs of int32, relative to index_vaddr
        size_t count = 0;
        std::vector<Entry> listed = {};  // used if there is no index

        void list_records();
        std::optional<Entry> entry(size_t number) const;
        std::optional<FrameRecord> record(uint64_t vaddr) const;
    };
    std::optional<Table> exception_table() const;
    std::optional<Table> debug_table() const;
    std::optional<FrameRecord> record(uint64_t vaddr) const;

    const Image *image_;
    std::vector<Table> tables_;  // the first one that has a record for an address wins
};

}  // namespace uscope::elf
