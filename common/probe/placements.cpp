// Decides when a process gets the probes that a tool chose itself, and when it loses them.
#include "probe/placements.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <unistd.h>

#include "attach/attach.h"
#include "attach/close.h"
#include "base/format.h"
#include "kernel/features.h"
#include "output/json.h"
#include "probe/code_in_memory.h"
#include "probe/set.h"
#include "proc/executable.h"
#include "proc/instrumenter.h"
#include "proc/process.h"
#include "run/loop.h"
#include "run/tool.h"

namespace uscope::probe {
namespace {

constexpr unsigned look_ms = 50;  // a program that sleeps for this long has finished starting

// Is it certain that the code of a waiting process stays where it is? `before`, `now`: the
// process's progress at two successive looks.
bool can_be_placed(pid_t pid, Placements::Code code, const proc::Progress &before,
                   const proc::Progress &now)
{
    using Code = Placements::Code;
    return code == Code::Stays || proc::has_started(before, now) ||
           (code == Code::StaysUnlessAsked && !proc::asks_for_huge_pages(pid));
}

void take_links(ProbeSet &set, pid_t pid, attach::Links &links)
{
    attach::Links released = set.release(pid);
    std::move(released.begin(), released.end(), std::back_inserter(links));
}

}  // namespace

Placements::Placements(run::Tool &tool) : tool_(tool), is_by_process_(kernel::has_uprobe_multi()) {}

Placements::~Placements()
{
    detach();
}

void Placements::report(const std::string &text)
{
    if (reported_.insert(text).second)
        tool_.note_text(text);
}

void Placements::report_missed()
{
    uint64_t missed = std::exchange(missed_, 0);
    if (missed == 0)
        return;
    tool_.note("{} program{} ended before {} could be probed (docs/safety.md)", missed,
               missed == 1 ? "" : "s", missed == 1 ? "it" : "they");
    if (tool_.json())
        output::notice(tool_.out().buffer(), "missed").add("programs", missed).end_line();
}

Result<> Placements::listen(run::Loop &loop, std::function<void()> look_again)
{
    look_again_ = std::move(look_again);
    for (pid_t pid : proc::all_pids()) {
        if (proc::takes_checkpoints(pid))
            pause(pid);
    }
    return loop.every(look_ms, [this] {
        look_at_waiting();
        if (!released_.empty())
            attach::close_later(std::exchange(released_, {}));
    });
}

bool Placements::may_be_probed(pid_t pid, const CodeInMemory &code)
{
    auto by = proc::instrumenter(proc::executable_path(pid), code.mappings());
    if (by)
        report(fmt::format("skipped {}: it reads the code of the programs that it runs", *by));
    return !by;
}

Result<> Placements::add(ProbeSet &set, pid_t pid, Code code)
{
    if (!is_by_process_)
        return add_everywhere(set);
    if (set.reaches(pid))
        return {};
    Process &process = processes_[pid];
    if (code == Code::MayMove ||
        (code == Code::StaysUnlessAsked && proc::asks_for_huge_pages(pid))) {
        if (process.waiting.empty())
            process.progress = proc::progress_of(pid);
        process.waiting.emplace(&set, code);
        return {};
    }
    return place(set, pid, process);
}

Result<> Placements::add_everywhere(ProbeSet &set)
{
    bool is_new = everywhere_.insert(&set).second;
    return is_new && checkpointers_.empty() ? set.attach(0) : Result<>();
}

Result<> Placements::place(ProbeSet &set, pid_t pid, Process &process)
{
    if (!checkpointers_.empty()) {
        process.waiting.emplace(&set, Code::Stays);
        return {};
    }
    process.waiting.erase(&set);
    auto code = CodeInMemory::open(pid);
    if (code && code->mappings().empty())
        code = fail("process {} has no memory", pid);
    if (code && (!may_be_probed(pid, *code) || !set.is_mapped_in(*code)))
        return {};
    auto attached = code ? set.attach(pid, std::move(*code)) : Failure(std::move(code.error()));
    if (attached) {
        process.placed.insert(&set);
    } else if (proc::has_left_memory(pid)) {
        process.waiting.emplace(&set, Code::Stays);  // forked() passes this on to its children
        return {};
    }
    return attached;
}

void Placements::place_and_report(ProbeSet &set, pid_t pid, Process &process)
{
    if (auto placed = place(set, pid, process); !placed)
        report(placed.error().text);
}

void Placements::look_at_waiting()
{
    if (!checkpointers_.empty()) {
        std::erase_if(checkpointers_, [](pid_t pid) {
            // True if criu has ended, or if the process it restored runs under this pid by now.
            return !proc::takes_checkpoints(pid);
        });
        if (!checkpointers_.empty())
            return;
        resume();
    }
    for (auto &[pid, process] : processes_) {
        if (process.waiting.empty())
            continue;
        auto before = std::exchange(process.progress, proc::progress_of(pid));
        for (auto [set, code] : std::map<ProbeSet *, Code>(process.waiting))
            if (can_be_placed(pid, code, before, process.progress))
                place_and_report(*set, pid, process);
    }
}

void Placements::settle()
{
    bool any = std::any_of(processes_.begin(), processes_.end(),
                           [](const auto &entry) { return !entry.second.waiting.empty(); });
    if (any) {
        usleep(look_ms * 1000);
        look_at_waiting();
    }
}

// Detaches all probes because the criu process `by` has started, and returns when their breakpoints
// are removed. Keeps Process::placed and `everywhere_`, so that resume() can attach the probes
// again.
void Placements::pause(pid_t by)
{
    if (!checkpointers_.insert(by).second || checkpointers_.size() > 1)
        return;
    attach::Links links = std::exchange(released_, {});
    for (auto &[pid, process] : processes_) {
        for (ProbeSet *set : process.placed)
            take_links(*set, pid, links);
    }
    for (ProbeSet *set : everywhere_)
        take_links(*set, 0, links);
    attach::close_links(std::move(links));
    tool_.note("criu ({}) takes checkpoints: no process has probes until it ends", by);
}

void Placements::resume()
{
    for (auto &[pid, process] : processes_) {
        for (ProbeSet *set : std::exchange(process.placed, {}))
            place_and_report(*set, pid, process);
    }
    for (ProbeSet *set : everywhere_) {
        if (auto attached = set->attach(0); !attached)
            report(attached.error().text);
    }
    look_again_();
}

void Placements::release(Process &process, pid_t pid)
{
    for (ProbeSet *set : process.placed)
        take_links(*set, pid, released_);
    process.placed.clear();
    process.waiting.clear();
}

// A child has its code at the same addresses as its parent, so it gets the probes of its parent at
// once. But if earlier children of this parent executed other programs, these links would be
// wasted: then the child waits until the next look. Probes for which the parent still waits are
// also noted for the child, because servers fork to go into the background.
void Placements::forked(pid_t child, pid_t parent)
{
    auto found = processes_.find(parent);
    if (found == processes_.end() || (found->second.placed.empty() && !found->second.was_missed()))
        return;
    bool is_later = found->second.spawns;
    std::set<ProbeSet *> sets = found->second.placed;
    Process &process = processes_[child];
    process.parent = parent;
    process.waiting = found->second.waiting;
    for (ProbeSet *set : sets)
        process.waiting[set] = Code::Stays;
    for (ProbeSet *set : is_later ? std::set<ProbeSet *>() : sets)
        place_and_report(*set, child, process);
}

// Does the process have children, which continue its work? Their new parent is the process's own
// parent.
bool Placements::is_continued(pid_t pid, const Process &process)
{
    bool any = false;
    for (auto &[other, child] : processes_) {
        if (child.parent == pid) {
            child.parent = process.parent;
            any = true;
        }
    }
    return any;
}

// Forgets a process that executes another program or has ended. If it should have had probes but
// got none, it counts as a missed program. Processes that a known process has forked do not count,
// because they have the program of their parent.
void Placements::drop(std::map<pid_t, Process>::iterator found)
{
    auto &[pid, process] = *found;
    missed_ += process.was_missed() && !is_continued(pid, process) && !process.parent;
    release(process, pid);
    processes_.erase(found);
}

void Placements::executed(pid_t pid, std::string_view comm)
{
    if (comm == "criu" && proc::takes_checkpoints(pid))
        pause(pid);
    auto found = processes_.find(pid);
    if (found == processes_.end())
        return;
    if (auto parent = processes_.find(found->second.parent); parent != processes_.end())
        parent->second.spawns = true;
    drop(found);
}

void Placements::ended(pid_t pid)
{
    if (auto found = processes_.find(pid); found != processes_.end())
        drop(found);
}

void Placements::leave_files()
{
    attach::Links links;
    for (ProbeSet *set : std::exchange(everywhere_, {}))
        take_links(*set, 0, links);
    attach::close_links(std::move(links));
}

void Placements::forget(ProbeSet &set)
{
    for (auto &[pid, process] : processes_) {
        process.placed.erase(&set);
        process.waiting.erase(&set);
    }
    everywhere_.erase(&set);
    set.detach();
}

void Placements::detach()
{
    for (auto &[pid, process] : processes_)
        release(process, pid);
    for (ProbeSet *set : everywhere_)
        take_links(*set, 0, released_);
    everywhere_.clear();
    attach::close_links(std::exchange(released_, {}));
    attach::finish_closing();
    report_missed();
}

}  // namespace uscope::probe
