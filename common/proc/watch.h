// Reports what processes do as it happens: executable mappings, forks, execs, exits.
//
// Needed for the symbols of processes too short-lived to look at, and for mappings that appear
// later (dlopen, code made at run time).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "proc/maps.h"

namespace uscope::proc {

// Unset callbacks are skipped. Process ids are those of our own pid namespace.
struct WatchHandlers {
    // An executable mapping, and when it was made (CLOCK_MONOTONIC). Its path is as the process
    // sees it, even in a chroot (unlike in maps).
    std::function<void(pid_t tgid, const Mapping &mapping, uint64_t ts_ns)> mapped = {};
    std::function<void(pid_t child, pid_t parent)> forked = {};  // processes, not threads
    // All its former mappings are gone.
    std::function<void(pid_t tgid, std::string_view comm)> executed = {};
    // Its first thread exited, which nearly always is the last one.
    std::function<void(pid_t tgid)> exited = {};
    std::function<void(uint64_t count)> lost = {};  // this many records were lost: read /proc again
};

class Watch {
  public:
    // Watches every process, or `only` one (and that it forks, but not what its children do).
    // Errors: not permitted, with the missing capability.
    static Result<Watch> open(WatchHandlers handlers, std::optional<pid_t> only = {});
    Watch(Watch &&) noexcept;
    ~Watch();

    int fd() const;  // readable if there are records to drain
    void drain();    // calls the handlers, ordered by time

  private:
    struct State;
    explicit Watch(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace uscope::proc
