// From rows of .eh_frame to the rules by which programs in the kernel walk stacks (bpf/lib/unwind.h).
//
// Nearly all rows at return addresses are such rules: 99.96 % in glibc, 99.997 to 99.999 % in mariadbd, libstdc++,
// libjvm and python. Assembly of libcrypto has other ones, some of which are rules, too.
#pragma once

#include <cstdint>

#include "lib/unwind.h"

namespace uscope::elf {
struct UnwindRow;
}

namespace uscope::stack {

inline constexpr int64_t word = sizeof(uint64_t);  // of a machine whose stacks are walked

// A machine's registers, by the numbers that .eh_frame has for them.
struct UnwindMachine {
    uint64_t sp, fp;
    // Where the kernel's pt_regs has each of them, in words, and the program counter.
    const uint8_t *words;
    uint64_t word_count;
    uint8_t pc_word;
    // Those that calls may change: a bit each. No frame saves them.
    uint32_t scratch;
    // The register that holds the return address when a function begins; none: it is on the stack.
    uint64_t link;
    // Where the kernel saves registers for a signal's handler: bytes above the stack pointer that it has when it
    // returns.
    struct {
        int16_t fp, sp, pc;
    } signal;
};
// Null for one that is not known.
const UnwindMachine *unwind_machine(uint16_t elf_machine);
const UnwindMachine &own_machine();

// `pc` is the address in the process.
unwind_rule rule_of(const elf::UnwindRow &row, const UnwindMachine &machine, uint64_t pc);
// For code that keeps frame pointers.
unwind_rule frame_pointer_rule();
// For what a signal's handler returns to.
unwind_rule signal_rule(const UnwindMachine &machine);
// There is no caller, or none can be told.
unwind_rule end_rule(unwind_end end);

}  // namespace uscope::stack
