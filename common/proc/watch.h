// Reports what processes do as it happens: executable mappings, forks, execs, exits.
//
// Tools need this to name the symbols of processes that end before /proc/PID can be read, and of
// mappings that appear later (dlopen, JIT code).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "proc/maps.h"

namespace uscope::proc {

// The functions that a Watch calls; they may be empty. Process ids are those in this process's pid
// namespace.
struct WatchHandlers {
    // A process made an executable mapping at the time `ts_ns` (CLOCK_MONOTONIC). The mapping's
    // path is as the process sees it, even in a chroot (unlike in /proc/PID/maps).
    std::function<void(pid_t tgid, const Mapping &mapping, uint64_t ts_ns)> mapped = {};
    std::function<void(pid_t child, pid_t parent)> forked = {};  // processes, not threads
    // A process executed a program: all its former mappings are gone.
    std::function<void(pid_t tgid, std::string_view comm)> executed = {};
    // The first thread of a process exited. Nearly always, the process ends with it.
    std::function<void(pid_t tgid)> exited = {};
    // `count` records were lost: read /proc to find out what happened.
    std::function<void(uint64_t count)> lost = {};
};

class Watch {
  public:
    // Watches every process, or only the process `only`: its forks are also reported, but not what
    // its children do then. Errors: no permission; the error names the missing capability.
    static Result<Watch> open(WatchHandlers handlers, std::optional<pid_t> only = {});
    Watch(Watch &&) noexcept;
    ~Watch();

    int fd() const;  // readable if there are records to drain
    void drain();    // reads the records and calls the handlers in the order of time

  private:
    struct State;
    explicit Watch(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace uscope::proc
