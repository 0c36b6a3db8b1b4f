// Converts rows of .eh_frame to the rules by which the kernel side walks stacks
// (bpf/unwind/unwind.h).
//
// Such rules can express nearly all rows at return addresses: 99.96 % in glibc, 99.997 to 99.999 %
// in mariadbd, libstdc++, libjvm and python. The assembly of libcrypto has unusual rows; rules can
// express some of them.
#pragma once

#include <cstdint>

#include "bpf/unwind/unwind.h"

namespace uscope::elf {
struct UnwindRow;
}

namespace uscope::unwind {

inline constexpr int64_t word = sizeof(uint64_t);  // of the machine whose stacks are walked

// A machine's registers, by their DWARF numbers (those of .eh_frame).
struct UnwindMachine {
    uint64_t sp, fp;
    // The index of each register's word in the kernel's pt_regs, and that of the program counter.
    const uint8_t *words;
    uint64_t word_count;
    uint8_t pc_word;
    // Bit mask of the registers that calls may change. No frame saves them.
    uint32_t scratch;
    // The register with the return address at a function's entry; no_register: it is on the stack.
    uint64_t link;
    // Where the kernel saves registers for a signal handler: bytes above the stack pointer at the
    // handler's return.
    struct {
        int16_t fp, sp, pc;
    } signal;
};
// Null for an unknown machine.
const UnwindMachine *unwind_machine(uint16_t elf_machine);
const UnwindMachine &own_machine();

// `pc`: the address in the process. Returns UNWIND_BY_COPY if no rule can express the row.
unwind_rule rule_of(const elf::UnwindRow &row, const UnwindMachine &machine, uint64_t pc);
// The rule for a frame of known size. `bytes`: from the stack pointer to the CFA (the stack pointer
// after the return); `fp_at`: from the CFA to the saved frame pointer; 0: it is not saved.
unwind_rule rule_by_sp(int64_t bytes, int64_t fp_at = 0);
// The rule for code that keeps frame pointers.
unwind_rule frame_pointer_rule();
// The rule for the frame that the kernel makes for a signal handler, at the code to which the
// handler returns.
unwind_rule signal_rule(const UnwindMachine &machine);
// The rule where a stack ends: there is no caller, or it cannot be found.
unwind_rule end_rule(unwind_end end);

}  // namespace uscope::unwind
