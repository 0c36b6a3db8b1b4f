// Probes on the functions that allocate and free blocks of memory (lang/c/probes.cpp), for tools
// that follow blocks from the allocation to the free.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "bpf/runtimes/held_block.h"
#include "probe/set.h"

namespace uscope::runtimes {

struct BlockProbe {
    enum class Kind : uint8_t { Allocation, Release, MappingBegins, MappingEnds };
    probe::ProbeRequest probe;
    Kind kind;
};

// Which allocation functions to probe.
struct BlockSource {
    std::vector<pid_t> pids;    // those in the mapped files of these processes
    std::string file;           // or those in this file, named as in probes
    std::string prefix;         // of the names in `file`: "je_"
    std::string program;        // or those of this program, which the tool will start
    bool mappings = false;      // include the system calls that map memory
    bool only_results = false;  // the C half keeps the arguments itself
};

// Returns the probes:
//  - allocation functions: their returns. Values: the second and third argument at the entry (not
//    with only_results), and the result; ProbeRequest::measured: the first argument. Leaves out an
//    operator new that calls the malloc of another file.
//  - free functions: their entries, without values.
//  - system calls that map memory: their beginnings with address, bytes, new bytes and flags as
//    values; their ends with the result.
// All probes of one kind share their programs. The caller sets event_output. Errors: there is no
// malloc.
Result<std::vector<BlockProbe>> find_block_probes(const BlockSource &source);

// Creates the map that the C half of the program gets as its table: for each site, how its function
// gets the size of the block (BLOCK_FIRST …).
Result<Fd> create_size_arguments(const probe::Program &program);

}  // namespace uscope::runtimes
