// Reads and cleans up the maps with blocks and holes.
#include "runtimes/held_blocks.h"

#include <algorithm>
#include <iterator>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "kernel/map.h"
#include "lang/held_mappings.h"
#include "proc/process.h"

namespace uscope::runtimes {

// Has the block's program exited or exec'ed?
bool HeldBlocks::is_stale(const held_key &place, const held_block &block, const Since &since) const
{
    if (auto process = since.find(place.tgid); process != since.end())
        return block.ts_ns < process->second;
    const auto &pids = which_.pids;
    return std::find(pids.begin(), pids.end(), pid_t(place.tgid)) == pids.end();
}

// Returns the processes whose blocks are shown although they have ended.
std::vector<pid_t> HeldBlocks::ended_pids() const
{
    std::vector<pid_t> ended;
    std::copy_if(which_.pids.begin(), which_.pids.end(), std::back_inserter(ended),
                 [](pid_t pid) { return !proc::must_run(pid); });
    return ended;
}

// How many blocks a sampled one represents.
double HeldBlocks::times(uint64_t bytes) const
{
    if (which_.sample_bytes)
        return std::max(1.0, double(*which_.sample_bytes) / double(std::max<uint64_t>(bytes, 1)));
    return double(which_.every.value_or(1));
}

// Removes the blocks of programs that have exited or exec'ed.
Result<HeldBlocks::All> HeldBlocks::read_blocks() const
{
    Since since;
    for (auto [tgid, ns] : TRY((kernel::read_map<uint32_t, uint64_t>(maps_.processes))))
        since[tgid] = ns;
    All all;
    std::vector<held_key> ended;
    TRY(kernel::read_map(maps_.blocks, [&](Bytes key, Bytes value) {
        auto place = key.read<held_key>(0).value_or(held_key{});
        auto block = value.read<held_block>(0).value_or(held_block{});
        if (is_stale(place, block, since))
            ended.push_back(place);
        else if (place.is_mapping)
            all.mappings[place.tgid].push_back({place, block});
        else
            all.blocks.push_back({place, block});
    }));
    for (const held_key &place : ended)
        bpf_map_delete_elem(maps_.blocks, &place);
    return all;
}

// Removes an entry, unless the programs have replaced it since it was read.
template <class Value>
void remove_unless_newer(int map, const held_key &place, uint64_t ts_ns)
{
    Value now;
    if (bpf_map_lookup_elem(map, &place, &now) == 0 && now.ts_ns == ts_ns)
        bpf_map_delete_elem(map, &place);
}

// Reduces a process's mappings to the bytes that are still held. Removes holes that cut no older
// mapping.
void HeldBlocks::leave_out_holes(std::vector<Block> &blocks, const std::vector<Hole> &holes) const
{
    std::vector<lang::MappedRange> ranges;
    for (const Hole &hole : holes)
        ranges.push_back({hole.hole.ts_ns, hole.place.address, hole.hole.bytes, true});
    for (const Block &one : blocks)
        ranges.push_back({one.block.ts_ns, one.place.address, one.block.bytes});
    std::vector<lang::RangeState> states = lang::held_ranges(ranges);
    for (size_t i = 0; i < holes.size(); i++) {
        if (!states[i].is_needed)
            remove_unless_newer<held_hole>(maps_.holes, holes[i].place, holes[i].hole.ts_ns);
    }
    for (size_t i = 0; i < blocks.size(); i++) {
        held_block &block = blocks[i].block;
        block.bytes = states[holes.size() + i].bytes;
        if (block.bytes == 0)
            remove_unless_newer<held_block>(maps_.blocks, blocks[i].place, block.ts_ns);
    }
    std::erase_if(blocks, [](const Block &one) { return one.block.bytes == 0; });
}

Result<HeldBlocks::ByStack> HeldBlocks::read() const
{
    uint64_t now_ns = monotonic_ns();
    // Reads holes first, so that the mappings that they cut are read as well.
    std::map<uint32_t, std::vector<Hole>> holes;
    for (auto [place, hole] : TRY((kernel::read_map<held_key, held_hole>(maps_.holes))))
        holes[place.tgid].push_back({place, hole});
    auto [blocks, mappings] = TRY(read_blocks());
    for (auto &[tgid, process_holes] : holes)
        leave_out_holes(mappings[tgid], process_holes);
    for (auto &[tgid, process_mappings] : mappings) {
        if (!holes.count(tgid))
            leave_out_holes(process_mappings, {});
        blocks.insert(blocks.end(), process_mappings.begin(), process_mappings.end());
    }

    const std::vector<pid_t> ended_pids = this->ended_pids();
    auto has_ended = [&](pid_t pid) {
        return std::find(ended_pids.begin(), ended_pids.end(), pid) != ended_pids.end();
    };
    ByStack stacks;
    for (const auto &[place, block] : blocks) {
        uint64_t age_ns = now_ns > block.ts_ns ? now_ns - block.ts_ns : 0;
        if (age_ns < which_.older_ns && !has_ended(pid_t(place.tgid)))
            continue;
        lang::HeldMemory &held = stacks[block.stack];
        lang::HeldBlock one = {place.address, block.bytes, age_ns};
        held.add(one, times(block.bytes));
        if (which_.each)
            held.blocks.push_back(one);
    }
    return stacks;
}

}  // namespace uscope::runtimes
