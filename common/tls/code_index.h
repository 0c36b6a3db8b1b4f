// Looks into the x86-64 code of a file that may have no names: which instructions refer to a text,
// which ones branch to an address, and where functions start and end.
//
// A file may have 100 MB of code, so it is not decoded as a whole. Two passes over its bytes are
// enough: one for references to texts, and one for calls and jumps into the code around these
// references. What the passes find is then decoded. Where a function starts is known from .eh_frame
// (elf/frames.h) or, without it, from calls, jumps, padding and frame pointers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/frames.h"
#include "elf/image.h"
#include "insn/parts.h"

namespace uscope::tls {

// All addresses are virtual.
struct Code {
    uint64_t start = 0, end = 0;
    uint64_t size() const { return end - start; }
    bool contains(uint64_t vaddr) const { return vaddr >= start && vaddr < end; }
    auto operator<=>(const Code &) const = default;
};

struct Branch {  // a call, or a jump with a displacement of four bytes
    uint64_t target = 0, at = 0;
    bool is_call = false;
    auto operator<=>(const Branch &) const = default;
};

class CodeIndex {
  public:
    // `image` must outlive this object.
    explicit CodeIndex(const elf::Image &image);

    const elf::Image &image() const { return image_; }

    // Returns the addresses at which `text` is in the file's segments, at most `most`.
    std::vector<uint64_t> find_text(std::string_view text, size_t most = 64) const;
    // Returns the addresses of the strings in the file that end in `text` and a NUL: those of their
    // first bytes.
    std::vector<uint64_t> find_strings_ending(std::string_view text) const;
    // Returns, in order, where in the code one of the addresses may be loaded into a register: the
    // first byte of an opcode or of its prefix. A pass over all code.
    std::vector<uint64_t> references(std::vector<uint64_t> addresses) const;

    // Finds the branches into the code that is at most `reach` bytes away from one of the
    // addresses. A pass over all code, unless all of this code was covered before. The functions
    // below do this for the code that they need.
    void cover(const std::vector<uint64_t> &vaddrs, uint64_t reach = usual_reach);
    // Returns the function that contains `vaddr`; nullopt if its start is not known.
    std::optional<Code> function_of(uint64_t vaddr);
    // Returns the branches to an address, those of the code at `target` to its own start too.
    std::vector<Branch> branches_to(uint64_t target);
    // Returns the functions that call or jump to the function at `target`, other than itself.
    std::vector<Code> callers(uint64_t target);
    bool is_code(uint64_t vaddr) const;

  private:
    static constexpr uint64_t usual_reach = 1 << 16;

    struct Segment {
        uint64_t vaddr;
        Bytes bytes;
        uint64_t end() const { return vaddr + bytes.size(); }
    };
    bool is_covered(Code range) const;
    void add_covered(Code range);
    bool starts_function(const Segment &segment, uint64_t vaddr, bool is_called) const;
    const Segment *segment_of(uint64_t vaddr) const;
    void find_starts();
    void add_starts_in(const Segment &segment, Code range);

    const elf::Image &image_;
    elf::Frames frames_;
    bool has_frames_;
    std::vector<Segment> code_, all_;
    std::vector<Code> covered_;     // sorted, apart from each other
    std::vector<Branch> branches_;  // into covered_, sorted
    std::vector<uint64_t> starts_;  // of functions in covered_, sorted; empty: not yet known
};

// An instruction of a function, taken apart.
struct Instruction {
    uint64_t vaddr = 0;
    insn::Parts parts;
    Bytes code;

    uint64_t next() const { return vaddr + parts.length; }
    bool is_call() const;      // with a displacement: call N
    bool is_any_call() const;  // also an indirect one
    bool is_jump() const;      // unconditional, with a displacement
    bool is_return() const;
    // Returns the target of a call or jump with a displacement, conditional or not.
    std::optional<uint64_t> target() const;
    // If it loads a constant, or an address relative to itself, into a register (0: rax … 15).
    struct Load {
        unsigned reg;
        uint64_t value;
    };
    std::optional<Load> load() const;
    // ModRM's operand, if that is memory at a register plus a displacement, without an index.
    struct Memory {
        unsigned base;
        int32_t displacement;
        auto operator<=>(const Memory &) const = default;
    };
    std::optional<Memory> memory() const;
};

// Decodes the code, one instruction after the other; ends at bytes that are no instruction.
std::vector<Instruction> decode(const elf::Image &image, Code code);

// Does execution that begins at the start of the code lead to each of the addresses, by its own
// jumps? An address inside of an instruction is none of these.
bool reaches(const elf::Image &image, Code code, const std::vector<uint64_t> &vaddrs);

}  // namespace uscope::tls
