#include "run/arrivals.h"

#include "proc/process.h"

namespace uscope::run {

Result<> Arrivals::listen(Session &session)
{
    watch_.emplace(
        TRY(proc::Watch::open({.executed = [this](pid_t pid, std::string_view) { look_at(pid); },
                               .lost = [this](uint64_t) { look(); }})));
    return session.learn(watch_->fd(), [this] { watch_->drain(); });
}

void Arrivals::look()
{
    for (pid_t pid : proc::all_pids())
        look_at(pid);
}

void Arrivals::look_at(pid_t pid)
{
    if (wanted_(proc::executable_name(pid)))
        found_(pid);
}

}  // namespace uscope::run
