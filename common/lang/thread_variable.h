// Finds the thread-local variable that a function of an interpreter reads, in that function's code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bpf/unwind/unwind.h"
#include "elf/image.h"

namespace uscope::lang {

struct ThreadVariable {
    uint64_t key = 0;  // as in unwind_interpreter; addresses are those in the file
    unwind_state_by state_by = UNWIND_STATE_BY_MODULE;
    // Offsets of the loads that follow; each loads from where the previous one points. For a
    // variable by module, the first one loads the variable itself.
    std::vector<int> loads = {};
};

// x86-64 only. Returns nullopt if the function reads no thread-local variable in a known way.
std::optional<ThreadVariable> find_thread_variable(const elf::Image &image, uint64_t function);

}  // namespace uscope::lang
