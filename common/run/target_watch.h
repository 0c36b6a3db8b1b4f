// Ends a run when the traced processes have ended.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "kernel/ring.h"
#include "run/processes.h"

namespace uscope::run {

class Loop;

class TargetWatch {
  public:
    // The loop calls `action` once, when all `targets` have ended; with -F, all their descendants
    // must also have ended. If `targets` contains no processes, it never calls `action`.
    TargetWatch(Targets targets, std::function<void()> action)
        : targets_(std::move(targets)), action_(std::move(action))
    {
    }
    TargetWatch(const TargetWatch &) = delete;

    // Call before the loop runs. This object must exist until the loop has ended.
    Result<> watch(Loop &loop);
    // Call at the end of the run: reports how many processes could not be followed.
    void report_lost(Tool &tool) const;
    // When a process has lost its probes, `tool` prints a note.
    void report_execs_to(Tool &tool) { tool_ = &tool; }

  private:
    Result<> watch_execs(Loop &loop);
    void attach_again();
    Result<> add(Loop &loop, pid_t pid);
    void look(Loop &loop);
    void forget(pid_t pid);

    Targets targets_;
    std::function<void()> action_;
    Tool *tool_ = nullptr;
    size_t watched_ = 0;  // processes that still run
    std::optional<kernel::RingReader> execs_;
};

}  // namespace uscope::run
