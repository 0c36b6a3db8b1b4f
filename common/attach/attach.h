// Attaches programs to places: one way in, several kernels below.
//
// Kernel >= 6.6: one uprobe_multi link for all sites of a file (one system call, one grace period
// to close). Older: a tracefs event for many sites, a perf event for a single one. The kernel keeps
// USDT semaphores by its own reference counter in all, so that a killed tool leaves none raised, and
// removes every probe when the descriptors close.
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
    std::string path;  // that this process can open, whatever the target calls it
    std::string name;  // for errors
    bool is_return = false;
    bool is_session = false;  // the program is one of attach::session_calls(): entry and return
    std::vector<UprobeSite> sites;  // cookies reach programs by uprobe_multi links only
    pid_t pid = 0;  // 0: every process, also later ones. Others then pay nothing for the probe.
    // Called for each site that the kernel refuses while it accepts others. The site is left out.
    std::function<void(const UprobeSite &)> on_refused = {};
};

// A program stays attached as long as the descriptor is open. The event, if there is one, is removed after it.
struct Link {
    // `probes`: in programs, which a killed tool may leave behind.
    Link(Fd fd, size_t probes = 0);
    Link(Link &&) noexcept;
    Link &operator=(Link &&) noexcept;
    ~Link();
    Attached attached;
    UprobeEvent event;
    Fd fd;
};

// Attaches all sites except those passed to on_refused, or none. Errors name the file. They explain
// missing capabilities, and EINVAL when two probes dispute a semaphore.
Result<Links> attach_uprobes(const UprobeRequest &request);

// `id` from tracefs.
Result<Fd> attach_tracepoint(int program, uint32_t id, std::string_view name);
// By its name alone: without tracefs, and with a program that sees the kernel's own arguments
// ("raw_tp"). `is_typed`: one that knows their types, and has named the tracepoint when it was loaded ("tp_btf").
Result<Fd> attach_raw_tracepoint(int program, const char *name, bool is_typed = false);
// One program to a system call's sys_enter_NAME or sys_exit_NAME (`moment`: "enter", "exit") for
// each of the names.
Result<Links> attach_syscalls(const proc::Tracefs &tracefs, int program, std::string_view moment,
                              const std::vector<std::string> &names);
// A line for each of the tracepoints, for --dry-run.
std::string describe_syscalls(const std::vector<std::string> &names);

}  // namespace uscope::attach
