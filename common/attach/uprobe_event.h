// A uprobe event of tracefs: one event for many sites in a file.
//
// Kernels before 6.6 have no link for many uprobes. With a perf event for each, 1,000 sites take
// 0.3 s to attach and minutes to detach. Since Linux 5.4, sites whose lines in uprobe_events have
// the same name form one event, and are attached and detached together:
//
//     p:uscope/t1234_0 /usr/bin/app:0x1040
//     p:uscope/t1234_0 /usr/bin/app:0x2080(0x4010)     with a semaphore
//
// Such an event is not a descriptor, so a killed tool leaves its lines behind. They cost nothing,
// because no probe is in place without its tool. Their names contain the tool's process id (1234).
// The next tool that makes an event, or that finds records of a killed tool (attach/left_behind.h),
// removes the events of processes that no longer exist.
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
    uint64_t ref_ctr_offset = 0;  // offset of the semaphore in the file; 0: none
    uint64_t cookie = 0;          // programs distinguish sites by it (bpf/lib/site.h)
    // a program may execute a return instruction there (attach/execute.h)
    bool may_return = false;
};

class UprobeEvent {
  public:
    // `sites`: all of different offsets. Errors with ENOTSUP: tracefs cannot be used at all.
    static Result<UprobeEvent> create(const std::string &path, bool is_return,
                                      const std::vector<UprobeSite> &sites);

    UprobeEvent() = default;
    UprobeEvent(UprobeEvent &&other) noexcept;
    UprobeEvent &operator=(UprobeEvent &&other) noexcept;
    ~UprobeEvent();  // when no descriptor uses the event any more

    uint32_t id() const { return id_; }  // for perf_event_open()

  private:
    Fd list_;  // uprobe_events
    std::string name_;
    uint32_t id_ = 0;
};

void remove_stale_events();  // as far as it is permitted

// The names of events in the text of uprobe_events whose process no longer exists.
std::vector<std::string> stale_events(std::string_view text, bool is_alive(pid_t));

}  // namespace uscope::attach
