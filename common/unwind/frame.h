// A frame of a stack: what is known about its registers, and how to get those of its caller.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"
#include "elf/frame_row.h"
#include "unwind/rule.h"

namespace uscope::elf {
struct UnwindRow;
}

namespace uscope::unwind {

// Copies of parts of a thread's stack.
struct StackCopy {
    struct Region {
        uint64_t at = 0;
        Bytes bytes = {};
        uint64_t copied = ~0ull;  // a bit for each UNWIND_CHUNK: set if it was readable

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
    // A read failed at an address that a larger copy might contain: the kernel side had no room for
    // more of this stack, or never copies more.
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

struct Frame {
    using Registers = std::array<std::optional<uint64_t>, elf::FrameRow::register_count>;

    StackCopy copy;
    uint64_t pc = 0;
    bool is_exact = false;  // `pc` is not a return address
    Registers registers = {};
    const UnwindMachine &machine = own_machine();

    std::optional<uint64_t> sp() const { return registers[machine.sp]; }
    std::optional<uint64_t> fp() const { return registers[machine.fp]; }

    // These turn this frame into its caller's. They return false if the return address cannot be
    // found.
    bool return_by(const elf::UnwindRow &row);
    bool return_by(const unwind_rule &rule);
    bool return_from_signal();

  private:
    std::optional<uint64_t> caller_value(uint64_t reg, const elf::SavedRegister &saved,
                                         uint64_t cfa) const;
    std::optional<uint64_t> expression(Bytes expression, std::optional<uint64_t> first) const;
};

}  // namespace uscope::unwind
