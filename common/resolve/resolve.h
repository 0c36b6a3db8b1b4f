// From a parsed probe to the places where programs are attached, grouped by what can share one
// program.
//
//   spec::Probe + the processes it is for  ->  Group { scope of names, files { sites } }
//
// Reads files and /proc only: no privileges beyond reading, nothing is changed.
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
#include "resolve/files.h"
#include "spec/probe.h"

namespace uscope::resolve {

struct Site {
    std::string name;  // for people: the function without parameters, provider:name, category:event
    std::string parameters = {};          // what follows the name, in C++: "(int) const"
    std::vector<std::string> notes = {};  // what a person should know of the name (elf/functions.h)
    uint64_t vaddr = 0;
    uint64_t file_offset = 0;  // where the probe goes; of the kernel: 0
    uint64_t ref_ctr_offset = 0;
    uint64_t function_vaddr = 0;  // of the function's start (p, r)
    // Of returns that are seen at the ways out, in the file: the probe goes to them, while the
    // place above is for what the entry has to remember. resolve/exits.h tells the three apart.
    std::vector<uint64_t> return_offsets = {};
    std::vector<uint64_t> borrowed_offsets = {};
    std::vector<uint64_t> tail_call_offsets = {};
    // Those of the first two that a function starts with.
    std::vector<uint64_t> lone_return_offsets = {};
};

// How the returns of functions are seen (resolve/returns.h).
enum class ReturnMethod : uint8_t {
    KernelProbe,  // the kernel's return probe, which replaces the return address
    ExitSites,    // probes on the ways out
    GoReturns,    // probes on the return instructions of Go functions (go/returns.h)
};

// Of the kernel: `file` has the name of a module, or "vmlinux", as its paths, and there is no image.
struct FileSites {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
    std::vector<Site> sites;
};

// How many functions no probe can be on, by reason: they "begin with an instruction that …".
using Refusals = std::map<std::string, size_t>;

// "9 begin with an instruction that …, 3 are indirect (IFUNC)", the most frequent first.
std::string describe(const Refusals &refusals);

// Sites whose arguments are in the same places: one program serves them.
struct Group {
    std::vector<FileSites> files;
    std::vector<abi::Operand> operands;  // USDT
    std::vector<std::string> operand_texts;
    size_t most_operands = 0;  // of all the probe's groups: a place may note fewer than another
    std::optional<proc::Tracepoint> tracepoint;
    bool is_kernel = false;  // functions of the kernel: addresses instead of offsets in a file
    ReturnMethod return_method = ReturnMethod::KernelProbe;  // of return probes
    // The sites are the jumps at which other functions take over, so that the result is not seen.
    bool is_tail_calls = false;
    Refusals refusals;  // of the functions that a glob matches

    size_t site_count() const;
    // Do return probes run at instructions of the functions, instead of behind them?
    bool is_at_exits() const { return return_method != ReturnMethod::KernelProbe; }
    bool is_go_return() const { return return_method == ReturnMethod::GoReturns; }
};

// Errors say what was looked for, where, and what is near. At least one group with a site
// otherwise. `pids`: processes whose files are meant; empty: files by name and path, for every
// process. `opened`: the file that a probe of functions means, if it is open already; `pids` then do not matter.
Result<std::vector<Group>> resolve(const spec::Probe &probe, const std::vector<pid_t> &pids,
                                   const OpenedFile *opened = nullptr);

}  // namespace uscope::resolve
