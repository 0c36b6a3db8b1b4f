// Resolves a parsed probe to the sites where programs are attached. Sites that can share one
// program form a group.
//
//   spec::Probe + the processes it is for  ->  Group { scope of names, files { sites } }
//
// This only reads files and /proc: it needs no other privileges, and changes nothing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/operand.h"
#include "elf/image.h"
#include "proc/library.h"
#include "proc/tracefs.h"
#include "resolve/exit_branches.h"
#include "resolve/files.h"
#include "resolve/return_policy.h"
#include "spec/probe.h"

namespace uscope::dwarf {
class Debug;
}

namespace uscope::resolve {

// A branch before a return instruction, instead of that instruction.
struct BranchSite {
    uint64_t offset = 0;  // in the file
    ExitBranch branch;
    bool is_borrowed = false;  // as in Site::borrowed_offsets
};

struct Site {
    std::string name;  // to show: the function without parameters, provider:name, category:event
    std::string parameters = {};          // in C++, the text after the name: "(int) const"
    bool is_changed_copy = false;         // a copy that the compiler made ("[clone …]")
    std::vector<std::string> notes = {};  // for the user, about the name (elf/functions.h)
    uint64_t vaddr = 0;                   // address in the file; in the kernel, in memory
    uint64_t file_offset = 0;             // where the probe goes; 0 in the kernel
    uint64_t ref_ctr_offset = 0;          // USDT: of the semaphore in the file; 0 if it has none
    uint64_t function_vaddr = 0;          // the function's start (p, r)
    unsigned line = 0;                    // of the source file, if the probe is on one
    bool is_overload = false;  // also show the parameters: another function has the same name
    // For returns that are traced at exit sites: the file offsets of the return probes, by the
    // kinds of exits that resolve/exits.h defines. `file_offset` is then that of the entry's probe,
    // which saves data for the return.
    std::vector<uint64_t> return_offsets = {};
    std::vector<uint64_t> borrowed_offsets = {};
    std::vector<uint64_t> tail_call_offsets = {};
    // Those of return_offsets and borrowed_offsets that are the first instruction of a function.
    std::vector<uint64_t> lone_return_offsets = {};
    std::vector<BranchSite> branches = {};
};

// The sites in one file. In the kernel, the paths in `file` are the name of a module or "vmlinux",
// and there is no image.
struct FileSites {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
    std::vector<Site> sites;
    std::shared_ptr<const dwarf::Debug> debug = {};  // its debug information, if that is open
};

// How many functions cannot have a probe, by the reason: "start with an instruction that …".
using Refusals = std::map<std::string, size_t>;

// Returns a text, the most frequent reason first: "9 start with an instruction that …, 3 are
// indirect (IFUNC)".
std::string describe(const Refusals &refusals);

// Sites with the same argument operands, so that one program serves all of them.
struct Group {
    std::vector<FileSites> files;
    std::vector<abi::Operand> operands;  // USDT
    std::vector<std::string> operand_texts;
    size_t max_operands = 0;  // the largest number of operands in any group of the probe
    std::optional<proc::Tracepoint> tracepoint;
    // The processes that the probe is for, if these are all; empty: any, or also later ones.
    std::vector<pid_t> processes;
    bool is_kernel = false;  // functions of the kernel: sites have addresses, not offsets in a file
    ReturnMethod return_method = ReturnMethod::KernelProbe;  // for return probes
    // The sites are jumps to other functions (tail calls), at which the result is not yet known.
    bool is_tail_calls = false;
    bool is_one_of_several = false;  // the source line also has code in other places
    // All functions have the same parameters in the same places, or the same result
    // (resolve/shown_groups.h).
    bool shows_the_same = false;
    size_t without_values = 0;  // functions whose values are not shown, because they differ
    Refusals refusals;          // of functions that a glob matches

    size_t site_count() const;
    // Do programs of return probes run at the functions' own exit instructions, instead of after
    // the return?
    bool is_at_exits() const { return return_method != ReturnMethod::KernelProbe; }
    // Are some of the exits branches (resolve/exit_branches.h)?
    bool has_branches() const;
    bool is_go_return() const { return return_method == ReturnMethod::GoReturns; }
};

// Returns at least one group with a site. Errors say what was searched for and where, and suggest
// similar names. `pids`: the processes whose files the probe means; if empty, a name or path means
// the same file for every process. `opened`: the file of a function probe, if it is open already;
// `pids` are then ignored. `returns`: for return probes of functions.
Result<std::vector<Group>> resolve(const spec::Probe &probe, const std::vector<pid_t> &pids,
                                   const OpenedFile *opened = nullptr,
                                   const ReturnPolicy &returns = {});

}  // namespace uscope::resolve
