// stackcount: counts the stacks that lead to a function, a USDT probe or a tracepoint, in the
// kernel.
#include "bpf/unwind/site_stacks.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "base/tool_name.h"
#include "kernel/attach_method.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/rank.h"
#include "probe/calls.h"
#include "probe/counts.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "run/interval.h"
#include "stackcount.skel.h"
#include "stacks/counted_stacks.h"

namespace uscope::tools::stackcount {
namespace {

// A key of the counts is a stack and a process, so several keys may have the same stack. The map
// has `keys_per_stack` times as many entries as --stacks, and at least `least_keys`.
constexpr unsigned keys_per_stack = 4, least_keys = 4096;

struct Options {
    std::vector<std::string> probes;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> cpu;
    probe::StackOptions stacks;
    bool is_regex = false, per_process = false, addresses = false;
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
    tool.group("What is shown");
    options.intervals.declare(tool, {.duration = 'D'});
    tool.option(0, "top", options.stacks.top, "N", "show only the N most frequent stacks");
    tool.flag('P', "perpid", options.per_process,
              "count each process separately, with its name (default with several -p)");
    tool.flag('K', "kernel-stacks-only", options.stacks.kernel_only,
              "for kernel events: no user stacks");
    tool.flag('U', "user-stacks-only", options.stacks.user_only,
              "for kernel events: no kernel stacks");
    options.stacks.declare_forms(tool, false);
    tool.json_flag(options.stacks.json, "stack");
    tool.group("Working");
    options.stacks.declare_stacks(tool, "stacks");
    probe::declare_path(tool);
    probe::declare_returns(tool, options.processes);
    tool.verbose_option('v', "verbose,debug", "also show raw addresses, and what is attached");
    tool.example("stackcount -p 181 c:malloc", "the stacks that allocate in a process");
    tool.example("stackcount 'c:malloc(size_t n) (n > 100000)' --svg large.svg",
                 "a flame graph of large allocations in all processes");
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
    options.per_process |= options.processes.pids.size() > 1;
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
        probe.event_output = {expr::OutputKind::Key, "stackcount_count", 0};
    }
    return probes;
}

// --- what is shown ---------------------------------------------------------------------------

stacks::StackNamer::Style naming(const Options &options)
{
    bool is_for_scripts = options.stacks.folded || options.stacks.svg;
    stacks::StackNamer::Style style;
    style.per_process = options.per_process;
    style.comm = options.per_process || options.stacks.json || is_for_scripts;
    style.offsets = options.stacks.offsets;
    style.lines = options.stacks.lines;
    style.addresses = options.addresses && !is_for_scripts;
    return style;
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, stacks::CountedStacks &stacks)
        : tool_(tool), options_(options), stacks_(stacks)
    {
    }
    // Creates the BPF map in which the programs count. Also fails if the file of --svg cannot be
    // written.
    Result<> open();
    int map() const { return counts_.get(); }

    // Prints what was counted since the last call; with --svg, draws the whole run.
    Result<> show();
    uint64_t events() const { return events_; }

  private:
    using Counts = std::map<output::NamedStack, uint64_t>;

    Result<Counts> take();
    void print(const Counts &counts);
    Result<> draw() const;

    run::Tool &tool_;
    const Options &options_;
    stacks::CountedStacks &stacks_;
    Fd counts_;
    std::optional<kernel::TableReader> reader_;
    Counts whole_run_;  // for --svg
    uint64_t events_ = 0;
};

Result<> Report::open()
{
    kernel::MapRequest request;
    request.name = "stackcount";
    request.key_bytes = sizeof(stack_key);
    request.entries = std::max(options_.stacks.stacks * keys_per_stack, least_keys);
    counts_ = TRY(kernel::create_table(request));
    reader_.emplace(counts_.get(), kernel::TableReader::Holds::Counts);
    return options_.stacks.check_files();
}

void Report::print(const Counts &counts)
{
    std::string &out = tool_.out().buffer();
    uint64_t now_ns = output::Clock::now_unix_ns();
    if (!options_.stacks.forms())
        out.push_back('\n');
    if (!options_.stacks.json)
        options_.intervals.append_time(out);
    if (!options_.stacks.forms())
        tool_.out().heading("STACK, COUNT");
    for (auto *row : output::ranked(
             counts, [](uint64_t count) { return count; }, options_.stacks.top)) {
        const auto &[stack, count] = *row;
        if (options_.stacks.json)
            output::append_json(out, stack, count, now_ns);
        else if (options_.stacks.folded)
            output::append_folded(out,
                                  output::folded(stack, count, options_.stacks.form.delimiter));
        else
            output::append_text(out, stack, count, options_.stacks.form.delimiter);
    }
}

Result<> Report::draw() const
{
    std::vector<output::StackCount> stacks;
    for (const auto &[stack, count] : whole_run_)
        stacks.push_back(output::folded(stack, count, options_.stacks.form.delimiter));
    std::string title = join(options_.probes, ", ");
    return options_.stacks.draw(tool_, options_.processes, {.title = title, .unit = "events"},
                                stacks);
}

Result<Report::Counts> Report::take()
{
    Counts counts;
    auto since = kernel::TableReader::Since::LastTime;
    TRY(reader_->take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<stack_key>(0).value_or(stack_key{});
        counts[stacks_.name(key, added.count)] += added.count;
        events_ += added.count;
    }));
    return counts;
}

Result<> Report::show()
{
    Counts counts = TRY(take());
    if (options_.stacks.svg) {
        for (const auto &[stack, count] : counts)
            whole_run_[stack] += count;
        TRY(draw());
    } else {
        print(counts);
    }
    return {};
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
    auto probes = TRY(probe::ProbeSet::build(TRY(parse(options)), build));
    if (probe::show_plan(tool, probes, options.processes))
        return {};

    auto object = TRY(kernel::Object<stackcount_bpf>::open());
    stacks::CountedStacks stacks(tool, object);
    auto sides = options.stacks.sides();
    sides.kernel &= probes.any_in_kernel();
    sides.process = naming(options).comm;
    TRY(stacks.prepare(options.stacks.map_sizes(build.filter), sides));
    Report report(tool, options, stacks);
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
    if (!probe::note_call_ends(tool, ends) && !report.events())
        tool.note_nothing("no events");
    return {};
}

}  // namespace uscope::tools::stackcount
