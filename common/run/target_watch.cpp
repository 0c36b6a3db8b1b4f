// Watches the traced processes by pidfds and, with -F, by the kernel side's list of their
// descendants.
//
// The kernel side adds each new descendant to its list before the descendant runs, and removes it
// some time after it has ended. So when all watched processes have ended, look() reads the list,
// and watches the processes in it that still run. A process in it that has already ended may have
// forked a child after look() read the list, so look() repeats until it finds a running process or
// the list is empty.
#include "run/target_watch.h"

#include <bpf/bpf.h>

#include "kernel/map.h"
#include "proc/process.h"
#include "run/loop.h"
#include "run/losses.h"
#include "run/tool.h"

namespace uscope::run {

Result<> TargetWatch::watch(Loop &loop)
{
    for (pid_t pid : targets_.pids)
        TRY(add(loop, pid));
    if (!targets_.pids.empty() && !watched_)
        look(loop);
    if (targets_.cgroups)
        TRY(targets_.cgroups->listen(loop));
    return targets_.execs < 0 ? Result<>() : watch_execs(loop);
}

Result<> TargetWatch::watch_execs(Loop &loop)
{
    constexpr uint32_t ring_bytes = 4096;
    execs_.emplace(TRY(kernel::RingReader::open(targets_.execs, ring_bytes)));
    return loop.on_woken(targets_.execs, [this] {
        if (execs_->drain([](Bytes) { return true; }, true) > 0)
            attach_again();
    });
}

// Attaches the probes again, and prints a note about that unless the process has ended meanwhile.
void TargetWatch::attach_again()
{
    auto attached = targets_.attach_again ? targets_.attach_again() : Result<>();
    if (!tool_ || targets_.pids.empty() || !proc::must_run(targets_.pids[0]))
        return;
    if (!attached || !targets_.attach_again)
        return tool_->note(
            "process {} has lost its probes, because a thread other than its main thread executed "
            "a program{}",
            targets_.pids[0], attached ? "" : " (" + attached.error().text + ")");
    tool_->note(
        "process {} lost its probes when a thread other than its main thread executed a program; "
        "they are attached again, but calls in between were missed",
        targets_.pids[0]);
}

void TargetWatch::report_lost(Tool &tool) const
{
    constexpr std::string_view reason = "too many run at the same time";
    uint32_t key = 0;
    uint64_t lost = 0;
    if (targets_.cgroups)
        targets_.cgroups->report_lost(tool);
    if (targets_.lost < 0 || bpf_map_lookup_elem(targets_.lost, &key, &lost) || !lost)
        return;
    tool.note("{} processes are not followed: {}", lost, reason);
    record_loss(tool, lost, "processes", reason);
}

// Watches a process. It is no error if the process has ended meanwhile. A process that cannot be
// watched is removed from the kernel side's list.
Result<> TargetWatch::add(Loop &loop, pid_t pid)
{
    auto watching = loop.on_exit(pid, [this, &loop, pid] {
        forget(pid);
        if (--watched_ == 0)
            look(loop);
    });
    if (watching) {
        watched_++;
        return {};
    }
    forget(pid);
    return proc::must_run(pid) ? std::move(watching) : Result<>();
}

void TargetWatch::forget(pid_t pid)
{
    uint32_t key = pid;
    if (targets_.targets >= 0)
        bpf_map_delete_elem(targets_.targets, &key);
}

// Called when no process is watched: watches those in the kernel side's list.
void TargetWatch::look(Loop &loop)
{
    while (!watched_) {
        std::vector<std::pair<uint32_t, uint8_t>> left;
        if (targets_.targets >= 0) {
            if (auto listed = kernel::read_map<uint32_t, uint8_t>(targets_.targets))
                left = std::move(*listed);
        }
        if (left.empty())
            return action_();
        for (auto [pid, value] : left)
            static_cast<void>(add(loop, pid));
    }
}

}  // namespace uscope::run
