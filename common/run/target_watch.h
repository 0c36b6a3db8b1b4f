// Ends a run when the processes that it looks at have ended.
#pragma once

#include <functional>
#include <optional>

#include "attach/ring.h"
#include "base/result.h"
#include "run/processes.h"

namespace uscope::run {

class Loop;

class TargetWatch {
  public:
    // `action` is called once, in the loop: when all of `targets` have ended; with -F when all that
    // they have started have, too. Never when no process was named.
    TargetWatch(Targets targets, std::function<void()> action)
        : targets_(std::move(targets)), action_(std::move(action))
    {
    }
    TargetWatch(const TargetWatch &) = delete;

    // Before the loop runs; it outlives the loop's run.
    Result<> watch(Loop &loop);
    // At the end: how many processes are not among them, as there was no place to follow them.
    void tell_lost(Tool &tool) const;
    // Is told that probes were lost for a while.
    void tell_execs(Tool &tool) { tool_ = &tool; }

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
    std::optional<attach::RingReader> execs_;
};

}  // namespace uscope::run
