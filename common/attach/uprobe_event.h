// A uprobe event of tracefs: one event for many sites in a file.
//
// Kernels before 6.6 have no link for many uprobes. With one perf event for each site, 1,000 sites
// take 0.3 s to attach and minutes to detach. Since Linux 5.4, sites whose lines in uprobe_events
// have the same name form one event, and are attached and detached together:
//
//     p:uscope/t1234_0 /usr/bin/app:0x1040
//     p:uscope/t1234_0 /usr/bin/app:0x2080(0x4010)     with a semaphore
//
// The kernel does not remove these lines when the tool that wrote them is killed. They cost nothing
// then: the probes are only active while a descriptor of a perf event uses the lines, and the
// kernel closes the descriptors of a killed tool. The name of an event contains its tool's process
// id (1234). The next tool that makes an event, or that finds records of a killed tool
// (attach/left_behind.h), removes the events of processes that no longer exist.
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
    uint64_t cookie = 0;          // tells a program at which site it runs (bpf/lib/site.h)
    // If the instruction is a return, the executing program may execute it (attach/execute.h).
    bool may_return = false;
};

class UprobeEvent {
  public:
    // `sites` must have different offsets. The error's code is ENOTSUP if tracefs cannot be used.
    static Result<UprobeEvent> create(const std::string &path, bool is_return,
                                      const std::vector<UprobeSite> &sites);

    UprobeEvent() = default;
    UprobeEvent(UprobeEvent &&other) noexcept;
    UprobeEvent &operator=(UprobeEvent &&other) noexcept;
    ~UprobeEvent();  // removes the event; close the descriptors that use it before

    uint32_t id() const { return id_; }  // for perf_event_open()

  private:
    Fd list_;  // uprobe_events
    std::string name_;
    uint32_t id_ = 0;
};

void remove_stale_events();  // does nothing if this process lacks the permission

// Returns the names of those events in `text`, the content of uprobe_events, whose process no
// longer exists.
std::vector<std::string> stale_events(std::string_view text, bool is_alive(pid_t));

}  // namespace uscope::attach
