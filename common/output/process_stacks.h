// Prints stacks of processes in the form of BCC's profile and offcputime, with a number below:
//
//     finish_task_switch
//     ...
//     --
//     nanosleep
//     main
//     -                sleeper (181)
//         1000123
#pragma once

#include "output/json.h"
#include "output/stacks.h"

namespace uscope::output {

struct StackForm {
    bool delimiter = false;    // put a line between kernel and user frames
    bool annotations = false;  // put "_[k]" after the kernel's functions
};

void append_frames(std::string &out, const NamedStack &stack, const StackForm &form);
// Also appends the owner. `tid`: the thread to which the stack's comm belongs; 0: the process.
void append_stack(std::string &out, const NamedStack &stack, uint32_t tid, const StackForm &form);

// Adds "user_stack", "kernel_stack", "cut" and "unnamed"; with a prefix, "waker_user_stack" and so
// on.
void add_stacks(JsonObject &object, const NamedStack &stack, std::string_view prefix = "");

// As folded() of output/stacks.h, with the form's delimiter and annotations.
StackCount folded(const NamedStack &stack, uint64_t count, const StackForm &form);

}  // namespace uscope::output
