// Declares and checks the options of tools with stacks.
#include "probe/stack_options.h"

#include <climits>
#include <ctime>

#include <unistd.h>

#include "base/format.h"
#include "output/amount.h"
#include "output/file.h"
#include "probe/program.h"
#include "probe/set.h"
#include "proc/process.h"

namespace uscope::probe {

void StackOptions::declare_sides(run::Tool &tool)
{
    tool.flag('U', "user-stacks-only", user_only, "no kernel stacks");
    tool.flag('K', "kernel-stacks-only", kernel_only, "no user stacks");
}

void StackOptions::declare_keys(run::Tool &tool, bool kernel)
{
    tool.flag('U', "user-stack", user_key, "also by user stack");
    if (kernel)
        tool.flag('K', "kernel-stack", kernel_key, "also by kernel stack");
    declare_lines(tool);
}

void StackOptions::declare_graphs(run::Tool &tool, std::string_view what)
{
    tool.flag('f', "folded", folded,
              fmt::format("{} by stack, as input for flame graph scripts", what));
    tool.option(0, "svg", svg, "FILE",
                fmt::format("draw a flame graph of {} in the whole run, instead of text", what));
}

void StackOptions::declare_lines(run::Tool &tool)
{
    tool.flag(0, "lines", lines,
              "show name (file.c:12) and inlined functions, if there is debug information");
    tool.flag(0, "native", native, native_help);
}

void StackOptions::declare_forms(run::Tool &tool, bool marks)
{
    tool.flag('s', "offset", offsets, "show offsets in functions: name+0x1a");
    declare_lines(tool);
    if (marks)
        tool.flag('a', "annotations", form.annotations, "append \"_[k]\" to kernel functions");
    tool.flag('f', "folded", folded, "one line per stack, as input for flame graph scripts");
    tool.option(0, "svg", svg, "FILE",
                "draw a flame graph of the whole run, instead of text (-: standard output)");
    std::string group = tool.group(run::bcc_spellings);
    tool.flag('d', "delimited", form.delimiter, "print a line between kernel and user stacks");
    tool.group(group);
}

void StackOptions::declare_diff(run::Tool &tool)
{
    tool.option(0, "diff", before, "FILE", "compare with a file written earlier with -f");
}

void StackOptions::declare_stacks(run::Tool &tool, std::string names)
{
    tool.option(0, std::move(names), run::InRange{stacks, 1, max_stacks}, "N",
                "keep at most N different stacks (default 8192)");
}

Result<> StackOptions::check() const
{
    if (user_only && kernel_only)
        return fail_usage("-U and -K exclude each other");
    if (top == 0u)
        return fail_usage("--top 0 would show nothing: give at least 1");
    if (forms() > 1)
        return fail_usage("--folded, --json and --svg exclude each other");
    return {};
}

Result<> StackOptions::check_keys() const
{
    if (lines && !are_keys())
        return fail_usage("--lines needs stacks: add -U");
    if ((folded || svg) && !are_keys())
        return fail_usage("{} needs stacks: add -U", svg ? "--svg" : "--folded");
    return check();
}

Result<> StackOptions::check_sides(const ProbeRequest &probe) const
{
    const spec::Probe &spec = probe.spec;
    bool is_kernel = spec.kind == spec::ProbeKind::Tracepoint ||
                     (spec.kind != spec::ProbeKind::Usdt && spec.library.text.empty());
    if ((kernel_only || (kernel_key && !user_key)) && !is_kernel)
        return fail_usage("-K: {} is in user space, where there is no kernel stack", spec.source);
    return {};
}

stacks::CountedStacks::Sides StackOptions::sides() const
{
    if (are_keys())
        return {user_key, kernel_key, folded || svg};
    return {!kernel_only, !user_only};
}

Result<> StackOptions::prepare_keys(stacks::CountedStacks &stacks,
                                    const expr::ProcessFilter &filter) const
{
    if (!are_keys())
        return {};
    return stacks.prepare(map_sizes(filter), sides());
}

Result<> StackOptions::start_keys(stacks::CountedStacks &stacks, const ProbeSet &probes,
                                  const std::vector<pid_t> &lookup) const
{
    if (!are_keys())
        return {};
    stacks::StackNamer::Style style;
    style.lines = lines;
    style.comm = folded || svg;
    return stacks.start(style, lookup, probes.traced_inodes());
}

Result<> StackOptions::check_files() const
{
    return svg ? output::check_new_file(*svg, "--svg") : Result<>();
}

namespace {

// "node (181)", "3 processes", "processes named node"; "all processes".
std::string subject(const run::Processes &processes, const std::vector<output::StackCount> &stacks)
{
    constexpr size_t max_named = 3;
    std::vector<std::string> names;
    for (pid_t pid : processes.pids) {
        std::string comm = proc::comm(pid);
        if (comm.empty() && processes.pids.size() == 1 && !stacks.empty())  // it has ended
            comm = stacks[0].frames[0].name;
        names.push_back(fmt::format("{} ({})", comm.empty() ? "process" : comm, pid));
    }
    if (names.size() > max_named)
        return fmt::format("{} processes", names.size());
    if (!names.empty())
        return uscope::join(names, ", ");
    if (processes.tid)
        return fmt::format("thread {}", *processes.tid);
    if (!processes.comms.empty())
        return "processes named " + uscope::join(processes.comms, ", ");
    if (!processes.cgroup.empty())
        return "cgroup " + processes.cgroup;
    if (processes.workloads.any())
        return processes.workloads.text();
    return processes.uid ? fmt::format("user {}", *processes.uid) : "all processes";
}

// "host, 2026-11-28 15:16, for 30.0 s"
std::string circumstances(double seconds)
{
    char host[HOST_NAME_MAX + 1] = {};
    gethostname(host, HOST_NAME_MAX);
    time_t start = time(nullptr) - time_t(seconds);
    tm local = {};
    localtime_r(&start, &local);
    char date[sizeof("2026-11-28 15:16")] = {};
    strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &local);
    return fmt::format("{}, {}, for {}", host, date,
                       output::amount_text(uint64_t(seconds * 1e9), "ns"));
}

}  // namespace

Result<> StackOptions::draw(run::Tool &tool, const run::Processes &processes,
                            output::FlameGraph graph,
                            const std::vector<output::StackCount> &stacks) const
{
    uint64_t count = 0;
    for (const output::StackCount &stack : stacks)
        count += stack.count;
    if (auto seconds = tool.seconds_traced()) {
        graph.title += " of " + subject(processes, stacks);
        std::string method = graph.note.empty() ? "" : graph.note + ", ";
        graph.note = method + circumstances(*seconds);
    }
    if (before)
        graph.title += ", compared with " + *before;
    graph.is_comparison = before.has_value();
    std::string out;
    output::append_flame_graph(out, graph, stacks);
    return tool.write_file(*svg, out, count, graph.unit);
}

}  // namespace uscope::probe
