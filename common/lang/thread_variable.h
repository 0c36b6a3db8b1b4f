// Where a thread has what a function of an interpreter returns, as seen in that function's code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "elf/image.h"
#include "lib/unwind.h"

namespace uscope::lang {

struct ThreadVariable {
    uint64_t key = 0;  // of the file, as unwind_interpreter has it
    unwind_state_by state_by = UNWIND_STATE_BY_MODULE;
    // What is loaded then, one from where the other leads to. By module: the first is the variable itself.
    std::vector<int> loads = {};
};

// Of x86-64. Nothing: the function reads no thread's variable that it knows how to find.
std::optional<ThreadVariable> find_thread_variable(const elf::Image &image, uint64_t function);

}  // namespace uscope::lang
