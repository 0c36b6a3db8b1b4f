// The run time of programs, measured by the kernel while they run (BPF_ENABLE_STATS, Linux 5.8).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::kernel {

struct ProgramStats {
    uint64_t runs = 0;  // how often the program ran, also if it reported no event
    uint64_t time_ns = 0;

    void operator+=(const ProgramStats &other)
    {
        runs += other.runs;
        time_ns += other.time_ns;
    }
};

// The kernel measures while the returned descriptor is open; that adds 20-30 ns to each run.
Result<Fd> measure_programs();
// Returns the stats of the programs that this process has loaded and that have run. The key is the
// name given to remember_name() (for generated programs, it names the probe), else the kernel's
// name of the program.
std::map<std::string, ProgramStats> program_stats();
// The kernel keeps only 15 characters of a program's name; this stores the whole name.
void remember_name(int program, std::string name);

}  // namespace uscope::kernel
