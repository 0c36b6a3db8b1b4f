// Ends a run when the processes that it looks at have ended.
#pragma once

#include <functional>

#include "run/loop.h"
#include "run/processes.h"

namespace uscope::run {

class Ending {
  public:
    // `action` is called once, in the loop: when all of `until` have ended; with -F when all that
    // they have started have, too. Never when no process was named.
    Ending(Until until, std::function<void()> action)
        : until_(std::move(until)), action_(std::move(action))
    {
    }
    Ending(const Ending &) = delete;

    // Before the loop runs; it outlives the loop's run.
    Result<> watch(Loop &loop);
    // At the end: how many processes are not among them, as there was no place to follow them.
    void tell_lost(Tool &tool) const;

  private:
    Result<> add(Loop &loop, pid_t pid);
    void look(Loop &loop);
    void forget(pid_t pid);

    Until until_;
    std::function<void()> action_;
    size_t watched_ = 0;  // processes that still run
};

}  // namespace uscope::run
