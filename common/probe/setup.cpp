#include "probe/setup.h"

#include "attach/kernel.h"
#include "attach/kprobe.h"
#include "attach/path.h"

namespace uscope::probe {

void declare_path(run::Tool &tool)
{
    tool.option(0, "force-path", attach::forced_path(), "PATH",
                "how probes get into programs: session, multi, tracefs, perf (the best there is)");
}

BuildOptions build_options(const run::Processes &processes)
{
    BuildOptions options;
    options.lookup = processes.for_lookup();
    options.filter = processes.filter(false);
    options.has_cookies = attach::has_uprobe_multi();
    options.has_kernel_cookies = attach::has_attach_cookie();
    options.kernel_filters = attach::has_uprobe_multi();
    options.filter.not_tgid = getpid();
    // Programs that may sleep cannot use the kind of map that holds a cgroup.
    options.sleepable = attach::has_sleepable_uprobes() && processes.cgroup.empty();
    options.session = [](bool is_kernel) {
        return is_kernel ? attach::kprobe_session_calls() : attach::session_calls();
    };
    return options;
}

void note_limits(run::Tool &tool, const Set &probes)
{
    if (size_t refused = probes.refused_count())
        tool.note("{} of {} functions cannot be probed", refused, refused + probes.site_count());
    if (probes.any_may_unwind())
        tool.note(
            "beware: a C++ exception or Rust panic that passes through a function traced by r: "
            "ends the program (a limit of the kernel's return probes)");
}

}  // namespace uscope::probe
