// How the returns of each function are seen: by probes on its ways out, which harm nothing
// (resolve/exits.h), or by the kernel's return probe.
//
// While a function that has a return probe of the kernel runs, its return address on the stack leads to the
// kernel's trampoline. Everything but `ret` that reads or moves it then goes wrong:
//
//   - unwinding (C++ exceptions, Rust panics, cancelled threads), also out of signal handlers;
//   - stacks that are switched (swapcontext, fibers, coroutines, handlers on another stack): the kernel
//     takes the calls of one stack for ended while another one is used;
//   - runtimes that walk their stacks (OCaml, HotSpot, V8), backtrace(), profilers;
//   - functions that look at their caller: setjmp(), dlsym(), those built with -pg;
//   - filters of system calls, as the trampoline makes one since Linux 6.11.
//
// No look at a program tells that none of this will happen: it may load a plugin, or switch stacks by code of
// its own. So the kernel's probe is used only when it is asked for. A function whose ways out are not known exactly is
// refused.
#pragma once

#include <optional>
#include <string>

#include "elf/functions.h"
#include "resolve/exits.h"
#include "resolve/files.h"
#include "resolve/resolve.h"

namespace uscope::resolve {

struct ReturnPolicy {
    std::optional<ReturnMethod> forced;  // --force-return; not GoReturns
    bool unsafe = false;                 // --unsafe: the kernel's probe rather than none
};

// Set before anything is resolved.
ReturnPolicy &return_policy();

// "exit" or "probe"
Result<> parse_value(std::string_view text, ReturnMethod &by);

// The choice for the functions of one file.
class ReturnChooser {
  public:
    // `opened` must outlive it.
    explicit ReturnChooser(const OpenedFile &opened) : opened_(opened) {}

    // How the returns of `function` are seen; sets `site`'s ways out when it is by these. Errors
    // say why they cannot be seen without harm, and the way out.
    Result<ReturnMethod> choose(const elf::Function &function, Site &site);

    // After all have been chosen: where too many functions share a way out, as they all tail-call
    // one, the calls end at the jumps there.
    void part_shared_exits(FileSites &sites);

  private:
    ExitFinder &finder();
    void set_exits(const Exits &exits, Site &site) const;

    const OpenedFile &opened_;
    std::optional<ExitFinder> finder_;
};

}  // namespace uscope::resolve
