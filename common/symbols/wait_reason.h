// Why a thread waited, and what ended the wait, from the names of functions on kernel stacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/stacks.h"

namespace uscope::symbols {

// The functions of a kernel stack, the leaf first: "futex_wait+0x7f".
using KernelStack = std::vector<std::string>;

// Returns the name of the current system call: "futex"; "" if there is none.
std::string syscall_of(const KernelStack &kernel);

// Returns the reason for the wait of a thread that was not preempted: "disk", "lock", "sleep".
// `in_futex`: the reason if it waits in futex(), which the stack does not show.
std::string_view wait_reason(const KernelStack &kernel, std::string_view in_futex);

// Does a thread wait for work? True for workers of the kernel, for the queues of Java's executors
// and of Go's scheduler, and for a thread that waits for a condition or for events in at most 2
// functions of its program, unless these wait for a lock, a result or the end of another thread, or
// it is its process's main thread, which starts at _start. `why`: the reason for the wait.
bool is_idle(const output::NamedStack &stack, std::string_view why);

// If a timer or a device ended the wait, the kernel did so in an interrupt, and the thread that ran
// on that CPU is not the waker. Keeps only the interrupt's own kernel frames, down to its entry,
// with the comm "[interrupt]".
void leave_out_interrupted(output::NamedStack &waker);

}  // namespace uscope::symbols
