#include "run/arrivals.h"

#include "attach/signals.h"
#include "proc/process.h"

namespace uscope::run {

Result<> Arrivals::listen(Session &session)
{
    // A process that only begins to execute is too early: its program is not mapped yet.
    auto mapped = [this](pid_t pid, const proc::Mapping &mapping) {
        std::string_view path = mapping.path;
        if (wanted_(path.substr(path.rfind('/') + 1)))
            look_at(pid);
    };
    watch_.emplace(
        TRY(proc::Watch::open({.mapped = mapped, .lost = [this](uint64_t) { look(); }})));
    return session.learn(watch_->fd(), [this] { watch_->drain(); });
}

void Arrivals::look()
{
    for (pid_t pid : proc::all_pids()) {
        if (attach::end_signal_waits())
            break;
        look_at(pid);
    }
}

void Arrivals::look_at(pid_t pid)
{
    if (wanted_(proc::executable_name(pid)))
        found_(pid);
}

}  // namespace uscope::run
