// Whether a process is one whose return addresses must not be replaced, as the kernel's return
// probe does.
//
// While a function that has a return probe runs, its return address on the stack leads to the
// kernel's trampoline. Nothing is wrong as long as only `ret` reads it. These read it, or the
// kernel's list of what it has replaced no longer fits the stack:
//
//   - unwinding (C++ exceptions, Rust panics, cancelled threads, Ada, D): no frame is found for the
//     trampoline, and the program ends, or destructors are not run. C functions are unwound as well
//     when a callback throws;
//   - switched stacks (swapcontext, fibers, coroutines, an alternate signal stack): the kernel takes
//     the calls of one stack for ended while another one is used, and a return then leads to another
//     coroutine's caller, or to a SIGILL;
//   - runtimes that walk their own stacks (Go, OCaml, HotSpot, V8, Erlang, .NET …) and programs that
//     print their own: backtrace() ends at the trampoline;
//   - a seccomp filter: from Linux 6.11 on the trampoline makes a system call, which it may not know;
//   - code that the process generates: nobody knows what it does with the stack.
//
// The signs of these are names that a program or one of its libraries imports, or has, and what
// /proc says of a process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "elf/image.h"
#include "proc/library.h"

namespace uscope::resolve {

struct Risk {
    std::string
        why;  // "mariadbd unwinds its stack (C++ exceptions, Rust panics)"; empty: none is known
    // Also a function that calls nothing can be crossed: by a signal's handler that unwinds, by a
    // filter that looks at each return.
    bool of_leaves = false;
    explicit operator bool() const { return !why.empty(); }
};

// What `image` by itself does with stacks.
Risk risk_of_file(const elf::Image &image);

// Of a process, by its state and all that it maps.
Risk risk_of_process(pid_t pid, const std::string &proc = "/proc");

// Of every process that executes the file now or later: of a library nobody can know that.
Risk risk_of_all(const proc::FoundFile &file, const elf::Image &image);

}  // namespace uscope::resolve
