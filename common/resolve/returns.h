// Chooses how to trace the returns of each function: by probes on its exits, which are harmless
// (resolve/exits.h), or by the kernel's return probe.
//
// While a function with the kernel's return probe runs, the address of the kernel's trampoline
// replaces its return address on the stack. Everything except `ret` that reads or moves the return
// address then fails:
//
//  - unwinding (C++ exceptions, Rust panics, cancelled threads), also out of signal handlers;
//  - switching stacks (swapcontext, fibers, coroutines, handlers on another stack): while one stack
//    is in use, the kernel assumes that the calls on the others have ended;
//  - runtimes that walk their stacks (OCaml, HotSpot, V8), backtrace(), profilers;
//  - functions that inspect their caller: setjmp(), dlsym(), those built with -pg;
//  - system call filters, because the trampoline makes a system call since Linux 6.11.
//
// No inspection of a program can exclude all of this: the program may load a plugin, or switch
// stacks with its own code. So, on x86-64, the kernel's probe is used only on request, and a
// function whose exits are not known exactly is refused. On arm64, where it is not yet proven that
// the exits found are correct and complete, the kernel's probe is the default.
#pragma once

#include <optional>
#include <string>

#include "elf/functions.h"
#include "resolve/exits.h"
#include "resolve/files.h"
#include "resolve/resolve.h"

namespace uscope::resolve {

// Chooses how to trace returns in one file.
class ReturnChooser {
  public:
    // `opened` and `policy` must outlive this object.
    ReturnChooser(const OpenedFile &opened, const ReturnPolicy &policy, spec::BranchUse branches)
        : opened_(opened), policy_(policy), branches_(branches)
    {
    }

    // Returns how to trace the returns of `function`. If they are traced at its exits, stores these
    // in `site`. Errors say why the returns cannot be traced safely.
    Result<ReturnMethod> choose(const elf::Function &function, Site &site);

    // Call this after the last choose(). If too many functions share an exit, because all of them
    // tail-call the same function, their calls then end at their jumps to that function instead.
    void separate_shared_exits(FileSites &sites);

  private:
    ExitFinder &finder();
    void set_exits(const Exits &exits, Site &site) const;

    const OpenedFile &opened_;
    const ReturnPolicy &policy_;
    spec::BranchUse branches_;
    std::optional<ExitFinder> finder_;
};

}  // namespace uscope::resolve
