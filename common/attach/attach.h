// Attaches programs to sites: one interface for several kernels.
//
// Kernel >= 6.6: one uprobe_multi link for all sites of a file (one system call, one grace period
// to close). Older: a tracefs event for many sites, a perf event for a single one. In all of these,
// the kernel itself counts the users of USDT semaphores, so a killed tool leaves none raised, and
// it removes every probe when the descriptors close.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "attach/links.h"
#include "attach/signals.h"
#include "attach/uprobe_event.h"
#include "base/fd.h"
#include "base/result.h"

namespace uscope::proc {
class Tracefs;
}

namespace uscope::attach {

struct UprobeRequest {
    int program = -1;
    std::string path;  // a path that this process can open, whatever the target calls the file
    std::string name;  // for errors
    bool is_return = false;
    // the program uses attach::session_calls(): it runs at entry and return
    bool is_session = false;
    std::vector<UprobeSite> sites;  // programs see cookies only with uprobe_multi links
    // 0: every process, including later ones. Other processes pay nothing for the probe.
    pid_t pid = 0;
    // Called for each site that the kernel refuses while it accepts others. That site is skipped.
    std::function<void(const UprobeSite &)> on_refused = {};
};

// The program stays attached while `fd` is open. The tracefs event, if any, is removed after that.
struct Link {
    // `probes`: how many probes in traced programs this is; a killed tool may leave them behind.
    Link(Fd fd, size_t probes = 0);
    Link(Link &&) noexcept;
    Link &operator=(Link &&) noexcept;
    ~Link();
    AttachedCount attached;
    UprobeEvent event;
    Fd fd;
};

// Attaches all sites except those passed to on_refused, or none. Errors name the file and explain
// missing capabilities, and EINVAL if two probes disagree about a semaphore.
Result<Links> attach_uprobes(const UprobeRequest &request);

// `id`: the tracepoint's, from tracefs.
Result<Fd> attach_tracepoint(int program, uint32_t id, std::string_view name);
// Attaches by name alone: needs no tracefs, and the program sees the kernel's own arguments
// ("raw_tp"). `is_typed`: the program knows their types, and the tracepoint was named when the
// program was loaded ("tp_btf").
Result<Fd> attach_raw_tracepoint(int program, const char *name, bool is_typed = false);
// Attaches one program to the tracepoint sys_enter_NAME or sys_exit_NAME (`moment`: "enter",
// "exit") of each system call in `names`.
Result<Links> attach_syscalls(const proc::Tracefs &tracefs, int program, std::string_view moment,
                              const std::vector<std::string> &names);
// One line for each of these tracepoints, for --dry-run.
std::string describe_syscalls(const std::vector<std::string> &names);

}  // namespace uscope::attach
