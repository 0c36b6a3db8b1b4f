// Probes on the functions that allocate and free blocks of memory (lang/c/probes.cpp), for memleak,
// which follows blocks from the allocation to the free.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "probe/build_options.h"
#include "probe/set.h"

namespace uscope::runtimes {

// Which allocation functions to probe.
struct BlockSource {
    std::vector<pid_t> pids = {};  // those in the mapped files of these processes
    std::string file = {};         // or those in this file, named as in probes
    std::string prefix = {};       // of the names in `file`: "je_"
    std::string program = {};      // or those of this program, which the tool will start
    bool mappings = false;         // include the system calls that map memory
};

// Builds the probes, whose programs call the C functions of memleak:
//  - allocation functions: their returns. Values: the second and third argument at the entry
//    (unless are_sessions()), and the result; ProbeRequest::measured: the first argument. Leaves out
//    an operator new that calls the malloc of another file.
//  - free functions: their entries, without values.
//  - system calls that map memory: their beginnings with address, bytes, new bytes and flags as
//    values; their ends with the result.
// All probes of one kind share their programs. With --force-return probe, uses the kernel's
// sessions if it has them, because these can skip the returns of calls that are not sampled.
// Errors: there is no malloc.
Result<probe::ProbeSet> build_block_probes(const BlockSource &source,
                                           const probe::BuildOptions &build);
// Are all programs of allocation functions sessions of the kernel? A session saves too few bytes of
// a call, so the C half stores the arguments in a map.
bool are_sessions(const probe::ProbeSet &probes);

// Creates the map that the C half of the program gets as its table: for each site, how its function
// gets the size of the block (BLOCK_FIRST …).
Result<Fd> create_size_arguments(const probe::Program &program);

}  // namespace uscope::runtimes
