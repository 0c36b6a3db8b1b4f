// Stacks of processes with a number, in the form of BCC's profile and offcputime:
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
    bool delimiter = false;    // a line between kernel and user frames
    bool annotations = false;  // "_[k]" behind the kernel's functions
};

void append_frames(std::string &out, const NamedStack &stack, const StackForm &form);
// `id`: of the process, or of the thread, that is called as the stack's comm.
void append_owner(std::string &out, const NamedStack &stack, int id);

// "user_stack", "kernel_stack" and "cut"; with a prefix "waker_user_stack", and so on.
void add_stacks(JsonObject &object, const NamedStack &stack, std::string_view prefix = "");

// As output::folded(), with the kernel's functions marked.
StackCount folded(const NamedStack &stack, uint64_t count, const StackForm &form);

}  // namespace uscope::output
