// Walks the stack of a thread that has stood still for a moment: by its registers and a copy of its
// stack, with the tables of the files that it executes. What it learns on the way are the rules by which
// the kernel walks the next one (stack/unwind_rule.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "elf/frame_row.h"
#include "elf/frames.h"
#include "elf/image.h"
#include "lang/interpreter.h"
#include "lib/unwind.h"
#include "stack/epilogue.h"
#include "stack/unwind_rule.h"

namespace uscope::stack {

struct UserStack {
    std::vector<uint64_t> addresses;  // the leaf first
    unwind_end end = UNWIND_WHOLE;
    // What an interpreter executed meanwhile, the newest first, and whether that is all of it.
    std::vector<lang::InterpretedFrame> interpreted = {};
    unwind_end interpreted_end = UNWIND_WHOLE;
};
// Why it is not whole: "deeper than 127 frames"; "" when it is.
std::string describe(unwind_end end);

// What is at an address that a process can execute.
struct CodePlace {
    const elf::Frames *frames = nullptr;  // null: no file, or none that can be read
    const elf::Image *image = nullptr;    // the same
    uint64_t vaddr = 0;
    bool is_return_probe = false;  // the kernel's page to which functions with return probes return
    // What is there, of code that was made at run time, as far as it can be read.
    std::array<uint8_t, epilogue_bytes> made = {};
    uint8_t made_bytes = 0;
};

struct StackCopy {
    uint64_t at = 0;
    Bytes bytes;
    mutable bool was_short = false;  // more was wanted than the kernel side had place for
    std::optional<uint64_t> read(uint64_t address) const
    {
        if (address < at)
            return std::nullopt;
        auto value = bytes.read<uint64_t>(address - at);
        was_short |= !value && address - at < UNWIND_LARGE;
        return value;
    }
};

class Unwinding {
  public:
    using Registers = std::array<std::optional<uint64_t>, elf::FrameRow::register_count>;
    using FindCode = std::function<std::optional<CodePlace>(uint64_t pc)>;
    using Learn = std::function<void(uint64_t pc, bool is_exact, const unwind_rule &rule)>;

    Unwinding(StackCopy copy, FindCode find, Learn learn)
        : copy_(copy), find_(std::move(find)), learn_(std::move(learn))
    {
    }

    // From the frame of `pc`, which is not added itself. `stack` holds what is known of it already.
    void walk(uint64_t pc, bool is_exact, const Registers &registers, UserStack &stack);

  private:
    bool step(UserStack &stack);
    unwind_rule guess(const CodePlace &place) const;
    bool apply(const elf::UnwindRow &row);
    bool apply(const unwind_rule &rule);
    bool apply_signal();
    std::optional<uint64_t> caller_value(uint64_t reg, const elf::SavedRegister &saved,
                                         uint64_t cfa) const;
    std::optional<uint64_t> expression(Bytes expression, std::optional<uint64_t> first) const;

    StackCopy copy_;
    FindCode find_;
    Learn learn_;
    const UnwindMachine &machine_ = own_machine();
    uint64_t pc_ = 0;
    bool is_exact_ = false;
    Registers registers_ = {};
};

}  // namespace uscope::stack
