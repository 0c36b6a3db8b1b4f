// Reads the blocks of memory that have not been freed (bpf/runtimes/held_block.h), and sums them up
// by stack.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include <sys/types.h>

#include "bpf/runtimes/held_block.h"
#include "lang/held_memory.h"

namespace uscope::runtimes {

class HeldBlocks {
  public:
    struct Which {
        // Only blocks of at least this age. Blocks of a process that has ended are included at any
        // age.
        uint64_t older_ns = 0;
        // How blocks were sampled: one block in `every`; or one block per `sample_bytes` bytes.
        std::optional<uint64_t> every, sample_bytes;
        bool each = false;  // keep the addresses of the blocks
        // Processes whose end ends the run: includes the blocks that they held at their end.
        std::vector<pid_t> pids;
    };
    struct Maps {
        int blocks;     // held_key -> held_block
        int processes;  // process -> the time since which its blocks are known
        int holes;      // held_key -> held_hole
    };
    HeldBlocks(const Maps &maps, Which which) : maps_(maps), which_(std::move(which)) {}

    struct ByBytes {
        bool operator()(const stack_key &one, const stack_key &other) const
        {
            return memcmp(&one, &other, sizeof(one)) < 0;
        }
    };
    using ByStack = std::map<stack_key, lang::HeldMemory, ByBytes>;
    // Also removes the blocks of programs that have exited or exec'ed from the maps.
    Result<ByStack> read() const;

  private:
    using Since = std::map<uint32_t, uint64_t>;

    struct Block {
        held_key place;
        held_block block;
    };
    struct Hole {
        held_key place;
        held_hole hole;
    };
    struct All {
        std::vector<Block> blocks;
        std::map<uint32_t, std::vector<Block>> mappings;  // by process
    };

    Result<All> read_blocks() const;
    void leave_out_holes(std::vector<Block> &mappings, const std::vector<Hole> &holes) const;
    bool is_stale(const held_key &place, const held_block &block, const Since &since) const;
    std::vector<pid_t> ended_pids() const;
    double times(uint64_t bytes) const;

    Maps maps_;
    Which which_;
};

}  // namespace uscope::runtimes
