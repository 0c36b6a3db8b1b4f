// The blocks of memory that a tool's programs keep until they are freed (bpf/lib/held_block.h), summed
// up by their stacks.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "lang/held_memory.h"
#include "lib/held_block.h"

namespace uscope::runtimes {

class HeldBlocks {
  public:
    struct Which {
        // Only those that are at least so old; of a process that has ended, all: it frees none of them.
        uint64_t older_ns = 0;
        // How they were chosen: one block in so many; one block in so many bytes.
        std::optional<uint64_t> every, sample_bytes;
        bool each = false;  // their addresses, too
        // The run ends with these processes: what they held at their end is shown.
        std::vector<pid_t> pids;
    };
    struct Maps {
        int blocks;     // held_place -> held_block
        int processes;  // process -> since when its blocks are known
        int holes;      // held_place -> held_hole
    };
    HeldBlocks(const Maps &maps, Which which) : maps_(maps), which_(std::move(which)) {}

    struct ByBytes {
        bool operator()(const stack_key &one, const stack_key &other) const
        {
            return memcmp(&one, &other, sizeof(one)) < 0;
        }
    };
    using ByStack = std::map<stack_key, lang::HeldMemory, ByBytes>;
    // Removes those of programs that are no more.
    Result<ByStack> read() const;

  private:
    using Since = std::map<uint32_t, uint64_t>;

    struct Block {
        held_place place;
        held_block block;
    };
    struct Hole {
        held_place place;
        held_hole hole;
    };
    struct All {
        std::vector<Block> blocks;
        std::map<uint32_t, std::vector<Block>> mappings;  // by process
    };

    Result<All> read_blocks() const;
    void leave_out_holes(std::vector<Block> &mappings, const std::vector<Hole> &holes) const;
    bool is_stale(const held_place &place, const held_block &block, const Since &since) const;
    std::vector<pid_t> ended_pids() const;
    double times(uint64_t bytes) const;

    Maps maps_;
    Which which_;
};

}  // namespace uscope::runtimes
