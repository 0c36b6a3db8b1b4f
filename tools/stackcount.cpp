// stackcount: counts the stacks that lead to a function, a USDT probe or a tracepoint, in the
// kernel.
#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "kernel/attach_method.h"
#include "kernel/object.h"
#include "probe/calls.h"
#include "probe/counts.h"
#include "probe/setup.h"
#include "probe/weighted_stacks.h"
#include "run/interval.h"
#include "stackcount.skel.h"
#include "stacks/counted_stacks.h"

namespace uscope::tools::stackcount {
namespace {

struct Options {
    std::vector<std::string> probes;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> cpu;
    probe::StackOptions stacks;
    probe::StackWeights weights;
    probe::Sampling sampling;
    bool is_regex = false, per_process = false, addresses = false;
    bool shows_processes = false;
    probe::SkipMissing missing;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Calls, "counts the stacks that lead to functions and other probes");
    tool.positional(options.probes, "PROBE", "what to count the stacks of (see below)");
    tool.flag('r', "regexp", options.is_regex,
              "the name in PROBE is an extended regular expression, anchored at its beginning");
    options.processes.declare(tool);
    tool.option('c', "cpu", run::OnlyOne{options.cpu}, "CPU", "only events on this processor");
    options.processes.declare_cgroup(tool);
    options.missing.declare(tool);
    options.sampling.declare(tool);
    options.processes.begin_shown(tool, &options.shows_processes, "--json and -P");
    options.weights.declare(tool);
    options.intervals.declare(tool, {.duration = 'D'});
    tool.option(0, "top", options.stacks.top, "N", "show only the N most frequent stacks");
    tool.flag('P', "perpid", options.per_process,
              "count each process separately, with its name (default with several -p)");
    tool.flag('K', "kernel-stacks-only", options.stacks.kernel_only,
              "for kernel events: no user stacks");
    tool.flag('U', "user-stacks-only", options.stacks.user_only,
              "for kernel events: no kernel stacks");
    options.stacks.declare_forms(tool, false);
    options.stacks.declare_diff(tool);
    tool.json_flag(options.stacks.json, "stack");
    tool.group("Working");
    options.stacks.declare_stacks(tool, "stacks");
    probe::declare_functions(tool, options.processes);
    tool.verbose_option('v', "verbose,debug", "also show raw addresses, and what is attached");
    tool.example("stackcount -p 181 c:malloc", "the stacks that allocate in a process");
    tool.example("stackcount 'c:malloc(size_t n) (n > 100000)' --svg large.svg",
                 "a flame graph of large allocations in all processes");
    tool.example("stackcount 'c:malloc(size_t n)' --sum n --sum-unit bytes --svg bytes.svg",
                 "a flame graph of how many bytes are requested");
    tool.example("stackcount 'r:c:read' --sum '$latency' --min 10ms",
                 "which callers wait for read(), and how long");
    tool.example("stackcount -K -D 10 vfs_fsync", "kernel stacks that wait for disks");
    tool.example("stackcount -D 10 -f t:sched:sched_switch >folded", "why threads stop running");
    tool.explain(fmt::format(
        "PROBE is  WHERE [(condition)], as in {0}\n"
        "  WHERE   LIB:FUNC  p:LIB:FUNC  r:LIB:FUNC   entry or return of a function\n"
        "          FUNC  p::FUNC  r::FUNC             a kernel function: both stacks\n"
        "          u:LIB:[PROVIDER:]PROBE             a USDT probe\n"
        "          t:CATEGORY:EVENT                   a kernel tracepoint: both stacks\n"
        "          FUNC, PROBE and EVENT may contain * ? [ ]. FUNC may be +0x349f, the\n"
        "          function at this address; +*: all without a name.",
        tool_name("trace")));
}

Result<> check(const run::Tool &tool, Options &options)
{
    if (options.probes.empty())
        return fail_usage(
            "a PROBE is required, such as c:malloc or t:sched:sched_switch (see --help)");
    const std::string &first = options.probes[0];
    if (options.stacks.form.delimiter && parse_number(first))
        return fail_usage("-d means --delimited here; the duration is -D {}", first);
    TRY(options.stacks.check());
    TRY(options.sampling.check());
    TRY(options.weights.check());
    options.per_process |= options.processes.pids.size() > 1;
    options.shows_processes = options.per_process && options.stacks.json;
    options.addresses = tool.verbose();
    TRY(options.processes.check());
    return options.intervals.check();
}

Result<std::vector<probe::ProbeRequest>> parse(const Options &options)
{
    std::vector<probe::ProbeRequest> probes;
    for (const std::string &text : options.probes) {
        probe::ProbeRequest &probe = probes.emplace_back();
        if (options.is_regex)
            probe.spec = TRY(spec::parse_regex(text));
        else
            probe = TRY(probe::parse_event(text));
        const spec::Probe &spec = probe.spec;
        if (spec.has_format)
            return fail_at(spec.source, spec.format.column - 1,
                           "only a condition may follow the probe: stacks are counted, values are "
                           "not printed");
        TRY(options.stacks.check_sides(probe));
        if (options.cpu)
            TRY(probe::only_on(*options.cpu, probe));
        probe.shows_all = false;
        probe.event_output = {expr::OutputKind::Key, "stackcount_count", 0};
        TRY(options.weights.add_to(probe));
    }
    return probes;
}

// --- what is shown ---------------------------------------------------------------------------

stacks::StackNamer::Style naming(const Options &options)
{
    bool is_for_scripts = options.stacks.folded || options.stacks.svg || options.stacks.before;
    stacks::StackNamer::Style style;
    style.per_process = options.per_process;
    style.comm = options.per_process || options.stacks.json || is_for_scripts;
    style.offsets = options.stacks.offsets;
    style.lines = options.stacks.lines;
    style.addresses = options.addresses && !is_for_scripts;
    return style;
}

stacks::CountedStacks::Sides sides_of(const Options &options, const probe::ProbeSet &probes)
{
    auto sides = options.stacks.sides();
    sides.kernel &= probes.any_in_kernel();
    sides.process = naming(options).comm;
    return sides;
}

probe::StackReport::Run run_of(Options &options)
{
    return {.stacks = options.stacks,
            .weights = options.weights,
            .sampling = options.sampling,
            .processes = options.processes,
            .intervals = options.intervals,
            .probes = options.probes};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(tool, options));

    probe::BuildOptions build = probe::build_options(options.processes);
    build.sleepable = false;  // sleepable programs cannot use stack maps
    options.missing.apply(tool, build);
    options.sampling.apply(build);
    auto probes = TRY(probe::ProbeSet::build(TRY(parse(options)), build));
    if (probe::show_plan(tool, probes, options.processes))
        return {};

    auto object = TRY(kernel::Object<stackcount_bpf>::open());
    stacks::CountedStacks stacks(tool, object);
    TRY(stacks.prepare(options.stacks.map_sizes(build.filter), sides_of(options, probes)));
    probe::StackReport report(tool, run_of(options), stacks);
    auto ends = TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.processes,
         .intervals = options.intervals,
         .what = probe::count_functions(probes, options.probes),
         .full = "too many different stacks (increase --stacks)",
         .open = [&]() -> Result<> {
             TRY(report.open());
             return stacks.start(naming(options), build.lookup, probes.traced_inodes());
         },
         .table = [&](const probe::Program &) { return report.map(); },
         .show = [&] { return report.show(); },
         .stacks = &stacks}));
    if (tool.verbose())
        tool.note("{} stacks were unwound in user space, from copies",
                  stacks.unwound_from_copies());
    report.note();
    if (!probe::note_call_ends(tool, ends) && !report.events())
        tool.note_nothing(options.sampling.or_none_chosen("no events"));
    return {};
}

}  // namespace uscope::tools::stackcount
