// Walks the stack of a thread that has stood still for a moment: by its registers and a copy of its
// stack, with the tables of the files that it executes. What it learns on the way are the rules by which
// the kernel walks the next one (stack/unwind_rule.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "elf/frame_row.h"
#include "lang/hotspot_code.h"
#include "lib/unwind.h"
#include "stack/epilogue.h"
#include "stack/unwind_rule.h"
#include "stack/user_stack.h"

namespace uscope::elf {
class Frames;
class Image;
class PclnTable;
struct UnwindRow;
}  // namespace uscope::elf

namespace uscope::stack {

// What is at an address that a process can execute.
struct CodePlace {
    const elf::Frames *frames = nullptr;  // null: no file, or none that can be read
    const elf::Image *image = nullptr;    // the same
    const elf::PclnTable *go = nullptr;   // of a program in Go
    uint64_t vaddr = 0;
    bool is_return_probe = false;  // the kernel's page to which functions with return probes return
    // What is there, of code that was made at run time, as far as it can be read.
    std::array<uint8_t, epilogue_bytes> made = {};
    uint8_t jit_bytes = 0;
    // The same that a JVM has made: with its code, as far as the frame is not complete at its beginning.
    std::optional<lang::HotspotCode::Blob> blob = {};
    std::string blob_code = {};
    // It was a JVM's, which has removed it by now; or other code is there.
    bool was_made = false;
    bool may_return = false;  // of a method: may a stack have the next address as one to return to?
    // Code that an interpreter's JIT compiler has made, and which executes in the frame of its loop: a place in that.
    const elf::Frames *loop_frames = nullptr;
    uint64_t loop_vaddr = 0;
    // Code of V8's, or that it has made: where it has what the walk reads (lib/unwind.h).
    std::optional<uint8_t> v8 = {};
};

struct StackCopy {
    struct Region {
        uint64_t at = 0;
        Bytes bytes = {};
        uint64_t copied = ~0ull;  // a bit for each UNWIND_CHUNK: it was readable

        std::optional<uint64_t> read(uint64_t address) const
        {
            if (address < at)
                return std::nullopt;
            uint64_t first = address - at, last = first + sizeof(uint64_t) - 1;
            return has(first) && has(last) ? bytes.read<uint64_t>(first) : std::nullopt;
        }
        bool has(uint64_t offset) const
        {
            uint64_t chunk = offset / UNWIND_CHUNK;
            return chunk >= 64 || copied >> chunk & 1;
        }
    };
    Region near = {};
    std::array<Region, UNWIND_FARS> far = {};
    // More was wanted than the kernel side had place for, or than it copies of any stack.
    mutable bool was_short = false;

    std::optional<uint64_t> read(uint64_t address) const
    {
        auto value = near.read(address);
        for (const Region &region : far)
            if (!value)
                value = region.read(address);
        constexpr uint64_t usual_stack = 8 << 20;
        was_short |= !value && address >= near.at && address - near.at >= near.bytes.size() &&
                     address - near.at < usual_stack;
        return value;
    }
};

class Unwinding {
  public:
    using Registers = std::array<std::optional<uint64_t>, elf::FrameRow::register_count>;
    using FindCode = std::function<std::optional<CodePlace>(uint64_t pc)>;
    using Learn = std::function<void(uint64_t pc, bool is_exact, const unwind_rule &rule)>;
    // What the process has there now, as far as it can be read: of code that was made at run time.
    using ReadCode = std::function<std::string(uint64_t from, uint64_t bytes)>;

    Unwinding(StackCopy copy, FindCode find, Learn learn, ReadCode read = {})
        : copy_(copy), find_(std::move(find)), learn_(std::move(learn)), read_(std::move(read))
    {
    }

    // From the frame of `pc`, which is not added itself. `stack` holds what is known of it already.
    void walk(uint64_t pc, bool is_exact, const Registers &registers, UserStack &stack);

  private:
    bool step(UserStack &stack);
    std::optional<elf::UnwindRow> go_row(const CodePlace &place) const;
    bool is_behind_call(uint64_t pc) const;
    struct CodeAhead {
        Bytes in_image = {};
        std::string made = {};  // what was made at run time
        uint64_t at = 0;

        Bytes bytes() const;
    };
    CodeAhead code_ahead(const CodePlace &place) const;
    bool is_plausible(const unwind_rule &rule) const;
    std::optional<elf::UnwindRow> loop_row(const CodePlace &place) const;
    std::optional<unwind_rule> followed_rule(const CodeAhead &code) const;
    bool follows(const CodePlace &place) const;
    std::optional<unwind_rule> v8_leaf_rule(const CodePlace &place) const;
    unwind_rule guess(const CodePlace &place) const;
    bool is_replaced(const CodePlace &place) const;
    void tie_to_word_before(unwind_rule &rule) const;
    void learn(const CodePlace &place, unwind_rule rule) const;
    bool apply(const elf::UnwindRow &row);
    bool apply(const unwind_rule &rule);
    bool apply_signal();
    void keep_jit_frame(UserStack &stack) const;
    void keep_jit_function(const unwind_rule &rule, UserStack &stack) const;
    void find_own_pc(const CodePlace &place, UserStack &stack);
    std::optional<uint64_t> caller_value(uint64_t reg, const elf::SavedRegister &saved,
                                         uint64_t cfa) const;
    std::optional<uint64_t> expression(Bytes expression, std::optional<uint64_t> first) const;

    StackCopy copy_;
    FindCode find_;
    Learn learn_;
    ReadCode read_;
    const UnwindMachine &machine_ = own_machine();
    uint64_t pc_ = 0;
    bool is_exact_ = false;
    Registers registers_ = {};
};

}  // namespace uscope::stack
