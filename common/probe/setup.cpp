#include "probe/setup.h"

#include <algorithm>

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

std::string describe_refusals(const resolve::Refusals &refusals, size_t probed)
{
    size_t all = 0;
    for (const auto &[reason, count] : refusals)
        all += count;
    if (all == 0)
        return {};
    return fmt::format("{} of {} functions cannot be probed: {}", all, all + probed,
                       resolve::describe(refusals));
}

namespace {

std::string refusals_json(const resolve::Refusals &refusals)
{
    size_t all = 0;
    std::string reasons;
    for (const auto &[reason, count] : refusals) {
        all += count;
        if (!reasons.empty())
            reasons += ',';
        reasons += fmt::format("\"{}\":{}", reason, count);
    }
    return fmt::format("{{\"type\":\"refused\",\"count\":{},\"reasons\":{{{}}}}}\n", all, reasons);
}

}  // namespace

void note_limits(run::Tool &tool, const Set &probes, bool json)
{
    resolve::Refusals refusals = probes.refusals();
    if (!refusals.empty())
        tool.note_text(describe_refusals(refusals, probes.site_count()));
    if (json && !refusals.empty())
        tool.out().buffer().append(refusals_json(refusals));
    if (probes.any_may_unwind())
        tool.note(
            "beware: a C++ exception or Rust panic that passes through a function traced by r: "
            "ends the program (a limit of the kernel's return probes)");
}

void note_left_out(run::Tool &tool, const Set &probes)
{
    constexpr size_t most_named = 5;
    const auto &names = probes.left_out();
    if (names.empty())
        return;
    std::vector<std::string> first(names.begin(),
                                   std::next(names.begin(), std::min(names.size(), most_named)));
    tool.note("{} of {} functions are left out, as the kernel refuses a probe on them: {}{}",
              names.size(), probes.site_count(), fmt::join(first, ", "),
              names.size() > most_named ? " …" : "");
}

}  // namespace uscope::probe
