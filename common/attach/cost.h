// What programs cost, measured by the kernel itself while they run (BPF_ENABLE_STATS, Linux 5.8).
#pragma once

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::attach {

struct Cost {
    uint64_t runs = 0;  // how often the program ran, with and without an event
    uint64_t time_ns = 0;

    void operator+=(const Cost &other)
    {
        runs += other.runs;
        time_ns += other.time_ns;
    }
};

// The kernel measures as long as the descriptor is open; it costs each run some 20-30 ns more.
Result<Fd> measure_programs();
Cost program_cost(int program);

}  // namespace uscope::attach
