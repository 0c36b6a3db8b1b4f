// Listens to the kernel's records of forks, execs, mappings and exits.
#include "run/new_processes.h"

#include <algorithm>

#include "attach/signals.h"
#include "proc/process.h"

namespace uscope::run {
namespace {

std::string_view name_of(const proc::Mapping &mapping)
{
    return std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1);
}

}  // namespace

// Notes each process that executes a program (`started_`), because the first mapping that the
// kernel reports after that is the program itself.
Result<> NewProcesses::listen(Loop &loop)
{
    proc::WatchHandlers handlers;
    handlers.forked = [this](pid_t child, pid_t parent) { forked(child, parent); };
    handlers.executed = [this](pid_t pid, std::string_view comm) {
        started_.insert(pid);
        handlers_.executed(pid, comm);
    };
    handlers.exited = [this](pid_t pid) {
        started_.erase(pid);
        gone_.erase(pid);
        handlers_.ended(pid);
    };
    handlers.mapped = [this](pid_t pid, const proc::Mapping &mapping, uint64_t) {
        mapped(pid, mapping);
    };
    handlers.lost = [this](uint64_t) { look(); };
    watch_.emplace(TRY(proc::Watch::open(std::move(handlers))));
    return loop.on_readable(watch_->fd(), [this] { watch_->drain(); });
}

void NewProcesses::mapped(pid_t pid, const proc::Mapping &mapping)
{
    bool is_program = started_.erase(pid);
    bool is_named = is_program && (!wanted_.program || wanted_.program(name_of(mapping)));
    if (!is_named && wanted_.library)
        is_named = wanted_.library(name_of(mapping));
    if (is_named && (!wanted_.process || wanted_.process(pid)))
        found(pid, &mapping);
}

void NewProcesses::found(pid_t pid, const proc::Mapping *mapping)
{
    handlers_.found(pid, mapping);
    if (proc::has_left_memory(pid))
        gone_.insert(pid);
}

// When a server goes into the background, its first process may have ended before it was found:
// then its child is found instead.
void NewProcesses::forked(pid_t child, pid_t parent)
{
    handlers_.forked(child, parent);
    if (gone_.contains(parent) && (!wanted_.process || wanted_.process(child)))
        found(child, nullptr);
}

void NewProcesses::look()
{
    for (pid_t pid : proc::all_pids()) {
        if (attach::is_end_signal_pending())
            break;
        if (is_wanted(pid))
            handlers_.found(pid, nullptr);
    }
}

bool NewProcesses::is_wanted(pid_t pid) const
{
    if (wanted_.process && !wanted_.process(pid))
        return false;
    if (!wanted_.program || wanted_.program(proc::executable_name(pid)))
        return true;
    if (!wanted_.library)
        return false;
    auto mappings = proc::read_maps(pid).value_or(std::vector<proc::Mapping>());
    return std::any_of(mappings.begin(), mappings.end(), [&](const proc::Mapping &mapping) {
        return mapping.executable && wanted_.library(name_of(mapping));
    });
}

}  // namespace uscope::run
