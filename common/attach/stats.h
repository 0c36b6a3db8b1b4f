// What programs cost, measured by the kernel itself while they run (BPF_ENABLE_STATS, Linux 5.8).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::attach {

struct ProgramStats {
    uint64_t runs = 0;  // how often the program ran, with and without an event
    uint64_t time_ns = 0;

    void operator+=(const ProgramStats &other)
    {
        runs += other.runs;
        time_ns += other.time_ns;
    }
};

// The kernel measures as long as the descriptor is open; it costs each run some 20-30 ns more.
Result<Fd> measure_programs();
// Those of the programs that this process has loaded, by name: the probe that a generated program is
// for, or the name of a function in C. Programs that never ran are left out.
std::map<std::string, ProgramStats> program_stats();
// The kernel keeps 15 characters of a program's name; this is the whole one.
void remember_name(int program, std::string name);

}  // namespace uscope::attach
