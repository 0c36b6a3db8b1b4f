#include "probe/return_guard.h"

#include "proc/executable.h"
#include "resolve/risk.h"

namespace uscope::probe {

Result<std::unique_ptr<ReturnGuard>> ReturnGuard::watch(Set &probes, pid_t only,
                                                        std::function<void(std::string)> say)
{
    std::unique_ptr<ReturnGuard> guard;
    if (!probes.replaces_return_addresses())
        return guard;
    guard.reset(new ReturnGuard(probes, only, std::move(say)));
    auto look = [self = guard.get()](pid_t pid) { self->on_new_code(pid); };
    proc::WatchHandlers handlers;
    handlers.mapped = [look](pid_t pid, const proc::Mapping &) { look(pid); };
    handlers.executed = [look](pid_t pid, std::string_view) { look(pid); };
    guard->watch_.emplace(
        TRY(proc::Watch::open(std::move(handlers), only ? std::optional(only) : std::nullopt)));
    // What was mapped while the probes were attached.
    if (only)
        guard->on_new_code(only);
    return guard;
}

void ReturnGuard::on_new_code(pid_t pid)
{
    if (is_done_ || proc::runs_this_program(pid) || (!only_ && !probes_.is_program_of(pid)))
        return;
    resolve::Risk risk = resolve::risk_of_process(pid);
    if (!risk)
        return;
    is_done_ = true;
    size_t count = probes_.detach_return_probes();
    say_(
        fmt::format("the returns of {} functions are no longer traced: {}, so that return "
                    "addresses must not be replaced (start again to trace them otherwise)",
                    count, risk.why));
}

}  // namespace uscope::probe
