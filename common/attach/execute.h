// Probed instructions that a program executes.
//
// The kernel emulates few instructions under a uprobe, and single-steps the others, at ten times the
// price (insn/decode.cpp). Since Linux 6.19 programs may write the registers; when one changes the
// instruction pointer, the kernel takes the instruction for done. So beside the tool's own programs
// one more is attached to the sites whose instruction it can execute exactly:
//
//     f:  endbr64          ip += 4
//         …
//         ret              ip = *sp, sp += 8
//     g:  cmp $3,%edi      the flags, ip += 3
//         …
//         jmp *%rax        ip = rax
//
// It has to run after all others, which are to see the registers as they are at the site. The
// kernel runs that program first which was attached last; so it is attached before the first of
// this process's. Of several tools, only the first one's executes: the sites of others are known by their
// records (attach/record.h). A program of another kind of tracer that was there before sees what the
// instruction has done: at an endbr64 the next address, at a return the caller.
//
// An instruction that moves the stack pointer is not executed at the start of a function: after
// the programs the kernel replaces the return address, where the stack pointer then is, if
// somebody has a return probe there.
#pragma once

#include <optional>

#include "attach/attach.h"

namespace uscope::attach {

// Does this happen here, on this kernel?
bool are_instructions_executed();

// The program on those of the sites that it executes the instructions of. To be called when the sites
// have been noted (Record), before their own program is attached.
std::optional<Link> attach_executing(const UprobeRequest &request);

// How the instructions under probes are done.
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
// Of the sites that this process has attached to, each once.
const InstructionCounts &attached_instructions();
// Of sites in a file, each once; where programs may write registers.
InstructionCounts count_instructions(const std::string &path, const std::vector<UprobeSite> &sites);
// "instructions under probes: 2 emulated by the kernel, 1 single-stepped"
std::string describe(const InstructionCounts &counts);
// What becomes of instructions that the kernel does not emulate, and why: "single-stepped (…)".
std::string describe_execution();

}  // namespace uscope::attach
