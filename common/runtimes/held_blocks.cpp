#include "runtimes/held_blocks.h"

#include <algorithm>
#include <iterator>

#include <bpf/bpf.h>

#include "attach/map.h"
#include "base/clock.h"
#include "proc/process.h"

namespace uscope::runtimes {

// Is it of a program that is no more? Of its process another program runs, or none.
bool HeldBlocks::is_stale(const held_place &place, const held_block &block,
                          const Since &since) const
{
    if (auto process = since.find(place.tgid); process != since.end())
        return block.ts_ns < process->second;
    const auto &pids = which_.pids;
    return std::find(pids.begin(), pids.end(), pid_t(place.tgid)) == pids.end();
}

// Those whose blocks are shown although they have ended.
std::vector<pid_t> HeldBlocks::ended_pids() const
{
    std::vector<pid_t> ended;
    std::copy_if(which_.pids.begin(), which_.pids.end(), std::back_inserter(ended),
                 [](pid_t pid) { return !proc::must_run(pid); });
    return ended;
}

// How many blocks one stands for that was chosen by chance.
double HeldBlocks::times(uint64_t bytes) const
{
    if (which_.sample_bytes)
        return std::max(1.0, double(*which_.sample_bytes) / double(std::max<uint64_t>(bytes, 1)));
    return double(which_.every.value_or(1));
}

Result<HeldBlocks::ByStack> HeldBlocks::read() const
{
    uint64_t now_ns = monotonic_ns();
    Since since;
    for (auto [tgid, ns] : TRY((attach::read_map<uint32_t, uint64_t>(maps_.processes))))
        since[tgid] = ns;
    const std::vector<pid_t> ended_pids = this->ended_pids();
    auto has_ended = [&](pid_t pid) {
        return std::find(ended_pids.begin(), ended_pids.end(), pid) != ended_pids.end();
    };
    ByStack stacks;
    std::vector<held_place> ended;
    TRY(attach::read_map(maps_.blocks, [&](Bytes key, Bytes value) {
        auto place = key.read<held_place>(0).value_or(held_place{});
        auto block = value.read<held_block>(0).value_or(held_block{});
        if (is_stale(place, block, since))
            return ended.push_back(place);
        uint64_t age_ns = now_ns > block.ts_ns ? now_ns - block.ts_ns : 0;
        if (age_ns < which_.older_ns && !has_ended(pid_t(place.tgid)))
            return;
        lang::HeldMemory &held = stacks[block.stack];
        lang::HeldBlock one = {place.address, block.bytes, age_ns};
        held.add(one, times(block.bytes));
        if (which_.each)
            held.blocks.push_back(one);
    }));
    for (const held_place &place : ended)
        bpf_map_delete_elem(maps_.blocks, &place);
    return stacks;
}

}  // namespace uscope::runtimes
