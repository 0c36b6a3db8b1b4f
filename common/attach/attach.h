// Attaches BPF programs to sites (offsets in files with code) and to tracepoints, in the way that
// suits the running kernel.
//
// Kernels >= 6.6 get one uprobe_multi link for all sites of a file: it takes one system call to
// attach, and one grace period to close (attach/close.h). Older kernels get a tracefs event for
// many sites, or a perf event for a single one. With each of these methods, the kernel itself
// raises and lowers USDT semaphores, the counters in a program that say whether a USDT probe is in
// use. So a killed tool leaves none raised. The kernel also removes every probe when the tool's
// descriptors are closed.
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
    // The program runs both at the function's entry and at its return (kernel::session_calls()).
    bool is_session = false;
    std::vector<UprobeSite> sites;  // their cookies only take effect with uprobe_multi links
    // 0: every process, including later ones. Otherwise the probe slows down no other process.
    pid_t pid = 0;
    // Called for each site that the kernel refuses while it accepts others; such a site is skipped.
    std::function<void(const UprobeSite &)> on_refused = {};
};

// A program stays attached while `fd` is open. `event` is the tracefs event, if the program was
// attached by one; it is removed after `fd` is closed.
struct Link {
    // `probes`: the number of sites in user programs that the link probes (0 for kernel probes); a
    // killed tool may leave breakpoints there.
    Link(Fd fd, size_t probes = 0);
    Link(Link &&) noexcept;
    Link &operator=(Link &&) noexcept;
    ~Link();
    AttachedCount attached;
    UprobeEvent event;
    Fd fd;
};

// Attaches the program to all sites except those passed to on_refused; on errors, to none. Errors
// name the probe, and explain missing capabilities and EINVAL at sites with a semaphore (another
// tracer's probe is there without it).
Result<Links> attach_uprobes(const UprobeRequest &request);

// `id`: the tracepoint's number in tracefs.
Result<Fd> attach_tracepoint(int program, uint32_t id, std::string_view name);
// Attaches to the tracepoint `name` without tracefs. The program gets the arguments that the kernel
// passes to the tracepoint, not a formatted record ("raw_tp"). `is_typed`: the program was loaded
// for this tracepoint and knows the types of its arguments ("tp_btf").
Result<Fd> attach_raw_tracepoint(int program, const char *name, bool is_typed = false);
// Attaches one program to the tracepoint sys_enter_NAME or sys_exit_NAME (`moment`: "enter",
// "exit") of each system call in `names`.
Result<Links> attach_syscalls(const proc::Tracefs &tracefs, int program, std::string_view moment,
                              const std::vector<std::string> &names);
// For --dry-run: returns a line for each tracepoint at the entry or exit of these system calls.
std::string describe_syscalls(const std::vector<std::string> &names);

}  // namespace uscope::attach
