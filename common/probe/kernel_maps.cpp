// Sizes and fills the maps that generated programs share, and counts how calls ended.
#include "probe/kernel_maps.h"

#include <algorithm>
#include <cstring>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "probe/program.h"
#include "probe/set.h"

namespace uscope::probe {
namespace {

constexpr uint32_t max_calls = 16384;  // under way at the same time
// With exit sites, as many calls as fit into 64 MB, within these bounds: Go programs have more
// calls under way.
constexpr uint32_t max_exit_calls = 65536, exit_calls_bytes = 64 << 20;

// Returns the C functions that the generated programs call.
std::set<std::string> called_functions(const ProbeSet &probes)
{
    std::set<std::string> functions;
    auto add = [&](const expr::Program &code) {
        for (const auto &call : code.calls)
            functions.insert(call.function);
    };
    for (const auto &program : probes.programs()) {
        add(program->main);
        if (program->entry)
            add(*program->entry);
    }
    return functions;
}

}  // namespace

Result<> KernelMaps::prepare(const ProbeSet &probes, const run::Processes &processes) const
{
    TRY(templates_.load_only(called_functions(probes)));
    return prepare({probes.call_bytes(), probes.any_exit_calls(), probes.site_tables()}, processes);
}

Result<> KernelMaps::prepare(const MapSizes &sizes, const run::Processes &processes) const
{
    bpf_map__set_max_entries(site_table_, std::max(sizes.sites.sites, 1u));
    bpf_map__set_max_entries(site_exits_, std::max(sizes.sites.exits, 1u));
    if (uint32_t bytes = sizes.call_bytes) {
        bpf_map__set_value_size(calls_, bytes);
        bpf_map__set_value_size(call_zero_, bytes);
        bpf_map__set_max_entries(calls_, max_calls);
        bpf_map__set_max_entries(call_zero_, expr::call_may_be_forgotten + 1);
        if (sizes.exit_calls) {
            bpf_map__set_max_entries(call_zero_, expr::call_numbers);
            bpf_map__set_max_entries(
                calls_, std::clamp(exit_calls_bytes / bytes, max_calls, max_exit_calls));
        }
    }
    return prepare(processes);
}

Result<run::ForkFollower> KernelMaps::follow(const run::Processes &processes) const
{
    auto follower = TRY(processes.start(follow_));
    TRY(processes.watch_execs(follow_, follower));
    if (thread_end_ && bpf_program__autoload(thread_end_))
        follower.links.push_back(
            TRY(attach::attach_raw_tracepoint(bpf_program__fd(thread_end_), "sched_process_exit")));
    return follower;
}

Result<run::ForkFollower> KernelMaps::attach(ProbeSet &probes, const run::Processes &processes,
                                             const ProgramBindings &bindings) const
{
    auto follower = TRY(follow(processes));
    TRY(attach_only(probes, processes, bindings));
    follower.attach_again = [&probes, pid = processes.only()] { return probes.attach_again(pid); };
    return follower;
}

// The calls map is an LRU, which evicts nothing while it is at most half full. So this sets the
// counter of records to minus half of the map's capacity: once it is above 0, the map may have
// evicted a record.
Result<> KernelMaps::start_counting_calls() const
{
    constexpr uint32_t index = expr::call_may_be_forgotten;
    if (bpf_map__max_entries(call_zero_) <= index)
        return {};
    std::vector<char> value(bpf_map__value_size(call_zero_));
    int64_t count = -int64_t{bpf_map__max_entries(calls_)} / 2;
    memcpy(value.data(), &count, sizeof(count));
    if (bpf_map_update_elem(bpf_map__fd(call_zero_), &index, value.data(), BPF_ANY) != 0)
        return fail_errno("counting the calls under way");
    return {};
}

Result<CallEnds> KernelMaps::call_ends() const
{
    CallEnds ends;
    char key[16], next[sizeof(key)];
    int fd = bpf_map__fd(calls_);
    if (bpf_map__max_entries(call_zero_) < expr::call_numbers) {
        ends.entered = bpf_map_get_next_key(fd, nullptr, next) == 0;  // 1 if there was any call
        return ends;
    }
    std::vector<char> value(bpf_map__value_size(call_zero_));
    auto number = [&](uint32_t index) -> Result<int64_t> {
        if (bpf_map_lookup_elem(bpf_map__fd(call_zero_), &index, value.data()) != 0)
            return fail_errno("reading the numbers of calls");
        int64_t count;
        memcpy(&count, value.data(), sizeof(count));
        return count;
    };
    ends.entered = TRY(number(expr::call_may_be_forgotten)) + bpf_map__max_entries(calls_) / 2;
    ends.abandoned = TRY(number(expr::abandoned_calls));
    ends.tail_called = TRY(number(expr::calls_tail_called));
    size_t records = 0;
    value.resize(bpf_map__value_size(calls_));
    for (void *last = nullptr; bpf_map_get_next_key(fd, last, next) == 0; last = key) {
        memcpy(key, next, sizeof(key));
        uint64_t entered_ns = 0;  // 0: not in use
        if (bpf_map_lookup_elem(fd, key, value.data()) == 0)
            memcpy(&entered_ns, value.data(), sizeof(entered_ns));
        ends.open += entered_ns != 0;
        if (++records == bpf_map__max_entries(calls_))
            break;
    }
    return ends;
}

Result<> KernelMaps::load(ProbeSet &probes, const run::Processes &processes,
                          const ProgramBindings &bindings) const
{
    TRY(probes.load(templates_, [&](const Program &program) {
        ProgramBinding binding = bindings(program);
        binding.insert({{expr::MapSlot::Calls, bpf_map__fd(calls_)},
                        {expr::MapSlot::CallZero, bpf_map__fd(call_zero_)},
                        {expr::MapSlot::Targets, bpf_map__fd(follow_.targets)},
                        {expr::MapSlot::Cgroup, bpf_map__fd(cgroup_)},
                        {expr::MapSlot::Cgroups, bpf_map__fd(follow_.cgroups)},
                        {expr::MapSlot::Sites, bpf_map__fd(site_table_)},
                        {expr::MapSlot::Exits, bpf_map__fd(site_exits_)}});
        return binding;
    }));
    TRY(probes.fill_site_tables(bpf_map__fd(site_table_), bpf_map__fd(site_exits_)));
    TRY(processes.fill_cgroup(cgroup_));
    return start_counting_calls();
}

Result<> KernelMaps::attach_only(ProbeSet &probes, const run::Processes &processes,
                                 const ProgramBindings &bindings) const
{
    TRY(load(probes, processes, bindings));
    probes.set_processes(processes.for_lookup());
    for (pid_t pid : processes.each())
        TRY(probes.attach(pid));
    return {};
}

}  // namespace uscope::probe
