// A uprobe event of tracefs: one event of the kernel with many sites of a file.
//
// Kernels before 6.6 have no link for many uprobes. A perf event for each takes them 0.3 s for 1,000
// sites to attach, and minutes to detach. Since Linux 5.4 sites whose lines in uprobe_events have one
// name are one event, and attach and detach as one:
//
//     p:uscope/t1234_0 /usr/bin/app:0x1040
//     p:uscope/t1234_0 /usr/bin/app:0x2080(0x4010)     with a semaphore
//
// Such an event is no descriptor, so a killed tool leaves its lines behind. They cost nothing, since
// no probe is in place without its tool; their names say whose they are (1234), and the next tool
// that makes an event, or finds that one was killed (attach/left_behind.h), removes those whose process
// is gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::attach {

struct UprobeSite {
    uint64_t offset = 0;          // in the file
    uint64_t ref_ctr_offset = 0;  // of the semaphore in the file; 0: none
    uint64_t cookie = 0;          // by which programs tell sites apart (bpf/lib/site.h)
    bool may_return = false;      // a program may execute a return there (attach/execute.h)
};

class UprobeEvent {
  public:
    // `sites`: of different offsets. Errors with ENOTSUP: tracefs cannot be used at all.
    static Result<UprobeEvent> create(const std::string &path, bool is_return,
                                      const std::vector<UprobeSite> &sites);

    UprobeEvent() = default;
    UprobeEvent(UprobeEvent &&other) noexcept;
    UprobeEvent &operator=(UprobeEvent &&other) noexcept;
    ~UprobeEvent();  // to be called when no descriptor holds it any more

    uint32_t id() const { return id_; }  // for perf_event_open()

  private:
    Fd list_;  // uprobe_events
    std::string name_;
    uint32_t id_ = 0;
};

void remove_stale_events();  // if it may

// The names of the events, in the text of uprobe_events, whose process is gone.
std::vector<std::string> stale_events(std::string_view text, bool is_alive(pid_t));

}  // namespace uscope::attach
