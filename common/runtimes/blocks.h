// Probes on the functions by which programs get blocks of memory and give them back (lang/c.cpp): for
// tools that follow blocks from one to the other.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "lib/held_block.h"
#include "probe/set.h"

namespace uscope::runtimes {

struct BlockProbe {
    enum class Kind : uint8_t { Allocation, Release, MappingBegins, MappingEnds };
    probe::ProbeRequest probe;
    Kind kind;
};

// Whose functions they are.
struct BlockSource {
    std::vector<pid_t> pids;    // of the files that these have mapped
    std::string file;           // else of this one, as probes name it
    std::string prefix;         // of the names in that file: "je_"
    std::string program;        // that will be started here
    bool mappings = false;      // also the system calls that map memory
    bool only_results = false;  // the C half remembers by itself what is asked for
};

// Of functions that allocate: the returns, with what the second and third argument were and the result as
// values, and the first argument measured; or without the second and the third. Of those that free: the entries, without any. All of one kind share
// their programs. The event_output is the caller's. A library's
// operator new that asks another one's malloc is left out. Of system calls that map memory: their beginnings, with address, bytes, new
// bytes and flags as values, and their ends with the result. Errors: there is no malloc.
Result<std::vector<BlockProbe>> find_block_probes(const BlockSource &source);

// How the functions at a program's sites are asked (BLOCK_FIRST …), by the sites' numbers: the map that its
// C half gets as the table.
Result<Fd> create_block_shapes(const probe::Program &program);

}  // namespace uscope::runtimes
