// What processes do, told by the kernel as it happens: executable mappings, forks, execs, ends.
//
// It serves the symbols of processes too short-lived to look at, and mappings that appear later
// (dlopen, probes made at run time).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "proc/maps.h"

namespace uscope::proc {

// Callbacks that are not set are skipped. Process ids are those of our own pid namespace.
struct WatchHandlers {
    // An executable mapping, and when (CLOCK_MONOTONIC). Its path is as the process sees it (in a chroot too, other than in
    // maps).
    std::function<void(pid_t tgid, const Mapping &mapping, uint64_t ts_ns)> mapped = {};
    std::function<void(pid_t child, pid_t parent)> forked = {};  // processes, not threads
    std::function<void(pid_t tgid, std::string_view comm)> executed =
        {};  // its mappings are all gone
    std::function<void(pid_t tgid)> exited =
        {};  // its first thread ended: the last one, nearly always
    std::function<void(uint64_t count)> lost = {};  // so many records: look at /proc again
};

class Watch {
  public:
    // Every process, or `only` one (and that it forks, not its children). Errors: not permitted,
    // and which capability is missing.
    static Result<Watch> open(WatchHandlers handlers, std::optional<pid_t> only = {});
    Watch(Watch &&) noexcept;
    ~Watch();

    int fd() const;  // readable when there is something to drain
    void drain();    // calls the handlers, in the order of time

  private:
    struct State;
    explicit Watch(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace uscope::proc
