// Executes probed instructions in a BPF program, instead of single-stepping them.
//
// The kernel emulates few instructions under a uprobe and single-steps the others, at ten times the
// cost (insn/decode.cpp). Since Linux 6.19, programs may write registers; if a program changes the
// instruction pointer, the kernel considers the instruction executed. So sites whose instruction
// can be executed exactly get one program in addition to the tool's own:
//
//     f:  endbr64          ip += 4
//         …
//         ret              ip = *sp, sp += 8
//     g:  cmp $3,%edi      the flags, ip += 3
//         …
//         jmp *%rax        ip = rax
//
// This program has to run after all others, which must see the registers as they are at the site.
// The kernel runs the most recently attached program first, so this one is attached before the
// other programs of this process. If several tools probe a site, only the first tool's executes the
// instruction: the records show the sites of other tools (attach/record.h). Programs of other
// tracers that were attached earlier see the state after the instruction: after an endbr64 the next
// address, after a return the caller's.
//
// An instruction that moves the stack pointer is not executed at the start of a function: if
// somebody has a return probe there, the kernel replaces the return address after the programs ran,
// at the address that the stack pointer then has.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

// Can instructions be executed on this kernel and machine?
bool are_instructions_executed();

// Attaches the program to those sites whose instruction it can execute; nullopt if there are none.
// Call it after the sites were noted (Record), before their own program is attached.
std::optional<Link> attach_executing(const UprobeRequest &request);

// How instructions under probes are handled.
struct InstructionCounts {
    size_t emulated = 0, executed = 0, stepped = 0;

    bool any() const { return emulated + executed + stepped != 0; }
    void operator+=(const InstructionCounts &other)
    {
        emulated += other.emulated;
        executed += other.executed;
        stepped += other.stepped;
    }
};
// Counts the sites that this process has attached to, each once.
const InstructionCounts &attached_instructions();
// Counts sites in a file, each once, as if programs may write registers.
InstructionCounts count_instructions(const std::string &path, const std::vector<UprobeSite> &sites);
// "instructions under probes: 2 emulated by the kernel, 1 single-stepped"
std::string describe(const InstructionCounts &counts);
// How instructions are handled that the kernel does not emulate, and why: "single-stepped (…)".
std::string describe_execution();

}  // namespace uscope::attach
