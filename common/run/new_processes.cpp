#include "run/new_processes.h"

#include "attach/signals.h"
#include "proc/process.h"

namespace uscope::run {

// A process that begins to execute has nothing mapped yet. The first that the kernel maps is the
// program itself.
Result<> NewProcesses::listen(Loop &loop)
{
    proc::WatchHandlers handlers;
    handlers.executed = [this](pid_t pid, std::string_view) { started_.insert(pid); };
    handlers.exited = [this](pid_t pid) { started_.erase(pid); };
    handlers.mapped = [this](pid_t pid, const proc::Mapping &mapping) {
        std::string_view path = mapping.path;
        if (started_.erase(pid))
            look_at(pid, path.substr(path.rfind('/') + 1), &mapping);
    };
    handlers.lost = [this](uint64_t) { look(); };
    watch_.emplace(TRY(proc::Watch::open(std::move(handlers))));
    return loop.on_readable(watch_->fd(), [this] { watch_->drain(); });
}

void NewProcesses::look()
{
    for (pid_t pid : proc::all_pids()) {
        if (attach::end_signal_waits())
            break;
        look_at(pid, wanted_ ? proc::executable_name(pid) : "", nullptr);
    }
}

void NewProcesses::look_at(pid_t pid, std::string_view executable, const proc::Mapping *mapped)
{
    if (!wanted_ || wanted_(executable))
        found_(pid, mapped);
}

}  // namespace uscope::run
