// Executes probed instructions in a BPF program, instead of single-stepping them.
//
// The kernel emulates few instructions under a uprobe and single-steps the others, at ten times the
// cost (insn/decode.cpp). Since Linux 6.19, programs may write registers; if a program changes the
// instruction pointer, the kernel considers the instruction executed. So if a program can do
// exactly what the instruction at a site does, that site gets an executing program in addition to
// the tool's own programs. For the instructions of two functions f and g, the executing program
// does what is on the right:
//
//     f:  endbr64          ip += 4
//         …
//         ret              ip = *sp, sp += 8
//     g:  cmp $3,%edi      the flags, ip += 3
//         …
//         jmp *%rax        ip = rax
//
// The executing program has to run after all other programs at the site, which must see the
// registers as they are before the instruction. The kernel runs the most recently attached program
// first, so the tool attaches the executing program before its other programs. If several tools
// probe a site, only the first one executes the instruction there: the other tools find its sites
// in its record (attach/record.h). If a tracer that is not a uscope tool has attached earlier, its
// programs run last and see the registers after the instruction: after an endbr64, the instruction
// pointer is the next address; after a return, it is the caller's.
//
// An instruction that changes the stack pointer is never executed at the start of a function.
// Another tracer may have a return probe on that function: the kernel then replaces the word at the
// stack pointer, which it takes for the return address, only after all programs have run.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

// Can programs execute instructions on this kernel and machine?
bool are_instructions_executed();

// Attaches the executing program to those sites whose instruction it can execute. Returns nullopt
// if there are none. Call it after Record::add() has noted the sites, and before the tool's own
// program is attached to them.
std::optional<Link> attach_executing(const UprobeRequest &request);

// The number of probed instructions, by how they are handled.
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
// Returns the counts for all sites to which this process has attached programs; each site counts
// once.
const InstructionCounts &attached_instructions();
// Returns the counts for sites in a file, each site once, as they would be on a kernel where
// programs may write registers.
InstructionCounts count_instructions(const std::string &path, const std::vector<UprobeSite> &sites);
// "instructions under probes: 2 emulated by the kernel, 1 single-stepped"
std::string describe(const InstructionCounts &counts);
// Describes how instructions are handled that the kernel does not emulate, and why:
// "single-stepped (…)".
std::string describe_execution();

}  // namespace uscope::attach
