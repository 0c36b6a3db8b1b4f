// Walks the stack of a thread from its registers and a copy of its stack memory, using the
// unwinding tables of the files that it executes. On the way it learns the rules by which the
// kernel side walks such stacks next time (unwind/rule.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "bpf/unwind/unwind.h"
#include "lang/java/hotspot_code.h"
#include "unwind/frame.h"
#include "unwind/user_stack.h"

namespace uscope::elf {
class Frames;
class Image;
class PclnTable;
struct UnwindRow;
}  // namespace uscope::elf

namespace uscope::unwind {

// The code at an address of a process.
struct CodeLocation {
    const elf::Frames *frames = nullptr;  // null: no file, or an unreadable one
    const elf::Image *image = nullptr;    // the same
    const elf::PclnTable *go = nullptr;   // null: not a Go program
    uint64_t vaddr = 0;
    bool is_return_probe = false;  // the kernel's page that functions with return probes return to
    // The JIT code at the address, `jit_bytes` of it: as much as could be read.
    std::array<uint8_t, 32> jit_code = {};
    uint8_t jit_bytes = 0;
    // JIT code of a JVM: the JVM's description of it, and the code up to where frames are complete.
    std::optional<lang::HotspotCode::Blob> blob = {};
    std::string blob_code = {};
    // The address is in a JVM's code cache, but the JVM has removed the code or put other code
    // there.
    bool was_jit_code = false;
    bool may_return = false;  // JIT code of a JVM: can a call return to the address after it?
    // Some interpreters have a JIT compiler whose code runs in the frame of the interpreter's loop.
    // For such code: the unwinding table of the loop, and an address inside the loop, whose row
    // describes the frame.
    const elf::Frames *loop_frames = nullptr;
    uint64_t loop_vaddr = 0;
    // V8's own code or its JIT code: where objects have the fields that the walk reads
    // (UNWIND_V8_…, bpf/unwind/unwind.h).
    std::optional<uint8_t> v8 = {};
};

class Unwinding {
  public:
    using Registers = Frame::Registers;
    // Returns the code at `pc`, or nullopt if none is known there.
    using FindCode = std::function<std::optional<CodeLocation>(uint64_t pc)>;
    // Is called with each rule that the walk needs. `is_exact`: `pc` is not a return address.
    using Learn = std::function<void(uint64_t pc, bool is_exact, const unwind_rule &rule)>;
    // Reads `bytes` of the process's current memory, or fewer if a page is unreadable. For JIT
    // code.
    using ReadCode = std::function<std::string(uint64_t from, uint64_t bytes)>;

    Unwinding(StackCopy copy, FindCode find, Learn learn, ReadCode read = {})
        : frame_{copy}, find_(std::move(find)), learn_(std::move(learn)), read_(std::move(read))
    {
    }

    // Starts at the frame of `pc` and adds its callers to `stack`; the caller of walk() has already
    // added `pc`.
    void walk(uint64_t pc, bool is_exact, const Registers &registers, UserStack &stack);

  private:
    bool step(UserStack &stack);
    std::optional<elf::UnwindRow> go_row(const CodeLocation &location) const;
    bool follows_call(uint64_t pc) const;
    struct CodeAhead {
        Bytes in_image = {};
        std::string jit_code = {};
        uint64_t at = 0;

        Bytes bytes() const;
    };
    CodeAhead code_ahead(const CodeLocation &location) const;
    bool is_plausible(const unwind_rule &rule) const;
    std::optional<elf::UnwindRow> loop_row(const CodeLocation &location) const;
    std::optional<unwind_rule> followed_rule(const CodeAhead &code) const;
    bool follows(const CodeLocation &location) const;
    std::optional<unwind_rule> v8_leaf_rule(const CodeLocation &location) const;
    unwind_rule guess(const CodeLocation &location) const;
    bool is_replaced(const CodeLocation &location) const;
    void tie_to_word_before(unwind_rule &rule) const;
    void learn(const CodeLocation &location, unwind_rule rule) const;
    void keep_jit_frame(UserStack &stack) const;
    void keep_jit_function(const unwind_rule &rule, UserStack &stack) const;
    void find_own_pc(const CodeLocation &location, UserStack &stack);

    Frame frame_;
    FindCode find_;
    Learn learn_;
    ReadCode read_;
};

}  // namespace uscope::unwind
