#include "probe/kernel_maps.h"

#include <algorithm>

namespace uscope::probe {
namespace {

constexpr uint32_t most_calls = 16384;  // under way at the same time
// A Go program has more of them; and a panic leaves its calls behind, which the oldest make place.
constexpr uint32_t most_go_calls = 65536, go_calls_bytes = 64 << 20;

}  // namespace

Result<> KernelMaps::prepare(const Set &probes, const run::Processes &processes) const
{
    bpf_map__set_max_entries(places_, std::max(probes.place_count(), 1u));
    return prepare(probes.call_bytes(), probes.any_go_calls(), processes);
}

Result<> KernelMaps::prepare(uint32_t bytes, bool go_calls, const run::Processes &processes) const
{
    if (bytes) {
        bpf_map__set_value_size(calls_, bytes);
        bpf_map__set_value_size(call_zero_, bytes);
        bpf_map__set_max_entries(calls_, most_calls);
        if (go_calls) {
            bpf_map__set_type(calls_, BPF_MAP_TYPE_LRU_HASH);
            bpf_map__set_max_entries(calls_,
                                     std::clamp(go_calls_bytes / bytes, most_calls, most_go_calls));
        }
    }
    return prepare(processes);
}

std::map<expr::MapSlot, int> KernelMaps::descriptors() const
{
    return {{expr::MapSlot::Calls, bpf_map__fd(calls_)},
            {expr::MapSlot::CallZero, bpf_map__fd(call_zero_)},
            {expr::MapSlot::Targets, bpf_map__fd(targets_)},
            {expr::MapSlot::Cgroup, bpf_map__fd(cgroup_)}};
}

Result<run::Following> KernelMaps::follow(const run::Processes &processes) const
{
    return processes.start(follow_newtask_, targets_, cgroup_);
}

Result<run::Following> KernelMaps::attach(Set &probes, const run::Processes &processes,
                                          const HalfOf &half) const
{
    auto following = TRY(follow(processes));
    TRY(attach_only(probes, processes, half));
    return following;
}

Result<> KernelMaps::attach_only(Set &probes, const run::Processes &processes,
                                 const HalfOf &half) const
{
    TRY(probes.load([&](const Program &program) {
        Half wanted = half(program);
        KernelSide side = {wanted.code, descriptors()};
        side.maps[wanted.slot] = wanted.map;
        return side;
    }));
    TRY(probes.fill_places(bpf_map__fd(places_)));
    return probes.attach(processes.only());
}

}  // namespace uscope::probe
