// Reads .sframe, an unwinding table that says only where the caller's frame, frame pointer and
// return address are. The assembler of binutils writes it with --gsframe, beside .eh_frame.
//
// The section has a header, an index of functions sorted by address, and the rows of each function:
// one for each range of instructions that have the same frame. Versions 2 and 3 are read; in
// version 3, a row may also name registers, where the frame is not at a fixed distance from the
// stack or frame pointer. (binutils' "The SFrame format".)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/bytes.h"
#include "elf/frame_row.h"

namespace uscope::elf {

class Image;

class SFrame {
  public:
    // Returns nullopt if the file has no .sframe section, or its version or machine is unknown.
    static std::optional<SFrame> of(const Image &image);
    // `section`: the bytes of the file from the section on; `vaddr`: its address.
    static std::optional<SFrame> read(Bytes section, uint64_t vaddr);

    // Returns how to unwind from the instruction at `vaddr`; nullopt if the section does not
    // describe it. What the section does not describe is lost: all registers but the stack pointer,
    // the frame pointer and the return address. The row must not outlive this object.
    std::optional<UnwindRow> row(uint64_t vaddr) const;

  private:
    struct Function {
        uint64_t start = 0, rows = 0;  // its virtual address; the offset of its first row
        uint32_t size = 0, row_count = 0;
        uint8_t info = 0, info2 = 0, repeated = 0;
    };
    struct Words;

    SFrame() = default;
    std::optional<Function> function(uint64_t number) const;
    std::optional<Function> function_at(uint64_t vaddr) const;
    std::optional<Words> words_at(const Function &function, uint64_t offset) const;
    FrameRow plain_row(const Words &words) const;
    std::optional<FrameRow> flexible_row(const Words &words) const;
    Bytes expression(uint64_t reg, int64_t offset, bool is_read) const;

    Bytes functions_, rows_;
    uint64_t functions_vaddr_ = 0, section_vaddr_ = 0;
    uint32_t count_ = 0;
    uint8_t version_ = 0;
    bool is_relative_to_entry_ = false;
    bool is_arm_ = false;
    int8_t fixed_fp_ = 0, fixed_return_ = 0;
    // The expressions of rows.
    std::shared_ptr<std::set<std::string>> expressions_ = std::make_shared<std::set<std::string>>();
};

}  // namespace uscope::elf
