// The run time of programs, measured by the kernel while they run (BPF_ENABLE_STATS, Linux 5.8).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::attach {

struct ProgramStats {
    uint64_t runs = 0;  // how often the program ran, whether or not it made an event
    uint64_t time_ns = 0;

    void operator+=(const ProgramStats &other)
    {
        runs += other.runs;
        time_ns += other.time_ns;
    }
};

// The kernel measures while the descriptor is open; that adds some 20-30 ns to each run.
Result<Fd> measure_programs();
// The stats of the programs that this process has loaded, by name: the probe that a generated
// program is for, or the name of a C function. Programs that never ran are left out.
std::map<std::string, ProgramStats> program_stats();
// The kernel keeps only 15 characters of a program's name; this stores the whole name.
void remember_name(int program, std::string name);

}  // namespace uscope::attach
