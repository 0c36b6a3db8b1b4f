// funclatency: shows how long functions take, as histograms; measures each call in the kernel.
#include "bpf/unwind/site_stacks.h"

#include <map>

#include "base/format.h"
#include "bpf/funclatency.h"
#include "funclatency.skel.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/histogram_rows.h"
#include "output/rank.h"
#include "probe/call_rows.h"
#include "probe/calls.h"
#include "probe/counts.h"
#include "probe/pairs.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "run/interval.h"
#include "run/latency_options.h"
#include "run/terminal.h"
#include "telemetry/group_metrics.h"

namespace uscope::tools::funclatency {
namespace {

struct Options {
    probe::Calls calls;
    run::Processes processes;
    run::Intervals intervals;
    std::optional<unsigned> levels;
    run::LatencyOptions latency;
    std::optional<uint64_t> top;
    bool percentiles = false, log_linear = false, heatmap = false;
    bool together = false;
    probe::Pairs pairs;
    probe::StackOptions stacks;
    telemetry::MetricOptions metrics;

    bool json() const { return stacks.json; }
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Slow, "shows how long functions take, as histograms");
    options.calls.declare_patterns(tool);
    options.processes.declare(tool, 'L', 0);
    options.processes.declare_cgroup(tool);
    tool.group("Which calls");
    tool.option('l', "level", options.levels, "LEVEL",
                "only the outermost LEVEL calls (1 to 16) if the functions call each other or "
                "themselves");
    options.latency.declare_min(tool);
    tool.group("Between two events");
    options.pairs.declare(tool);
    options.processes.begin_shown(tool, &options.calls.by_process, "-P");
    options.latency.declare_unit(tool);
    tool.flag('F', "function", options.calls.by_function,
              "a histogram for each function and process (default for patterns, and without -p "
              "or -L)");
    tool.flag(0, "together", options.together, "one histogram of all functions that match");
    options.calls.declare_keys(tool, "a histogram for each");
    options.stacks.declare_keys(tool);
    options.stacks.declare_graphs(tool, "the time");
    options.intervals.declare(tool, {.live = true});
    tool.option(0, "top", options.top, "N", "show only the N histograms with the most calls");
    tool.flag(0, "percentiles", options.percentiles, "also show percentiles and the maximum");
    tool.flag(0, "log-linear", options.log_linear, "finer rows, and percentiles");
    tool.flag(0, "heatmap", options.heatmap,
              "draw all calls as a heat map: one line per interval, darker means more");
    tool.json_flag(options.stacks.json, "histogram", run::Tool::Forms::JsonAndCsv);
    options.metrics.declare(tool, "the histograms");
    tool.group("Working");
    options.stacks.declare_stacks(tool, "stacks");
    probe::declare_functions(tool, options.processes);
    tool.explain(
        "PATTERN is  LIB:FUNC  /PATH:FUNC    functions\n"
        "            FUNC                    functions of the kernel\n"
        "with * ? and [ ] in the names. C++ and Rust names are those of the source.\n"
        "LIB:+0x349f is the function that starts there, LIB:+* are all that have no name.\n"
        "PROBE is  p:LIB:FUNC  r:LIB:FUNC  u:LIB:PROBE  t:SYS:EVENT\n"
        "each with a (condition) if you like: see uscope-probes(7). `FROM,TO` instead of a PATTERN "
        "is short for --from FROM --to TO.");
    tool.example("funclatency c:read", "read() of each process");
    tool.example("funclatency -u -p 181 -i 1 '/usr/sbin/mariadbd:dispatch_command'",
                 "a server's commands, each second");
    tool.example("funclatency -p 181 --top 5 --percentiles 'redis-server:*Command'",
                 "the commands that a server executes most");
    tool.example("funclatency -m --heatmap -i 1 'c:fsync'", "how the latency changes over time");
    tool.example("funclatency -p 181 -U --svg slow.svg c:fsync",
                 "a flame graph of the callers by time");
    tool.example("funclatency -u --from 'p:./srv:enqueue' --to 'p:./srv:handle' --key arg1",
                 "the time that a request waits, also from thread to thread");
    tool.example("funclatency -u --by-comm vfs_read", "a kernel function, for each command");
}

// Measures the time between two events: makes them take the place of the patterns.
Result<> check_pairs(Options &options)
{
    probe::Calls &calls = options.calls;
    TRY(options.pairs.take(calls.patterns));
    TRY(options.pairs.check());
    if (!options.pairs.any())
        return {};
    if (!calls.patterns.empty())
        return fail_usage("--from and --to exclude a PATTERN: {}", calls.patterns[0]);
    if (calls.is_keyed() || calls.is_regex || calls.by_function || options.levels || options.top ||
        options.together || options.stacks.are_keys())
        return fail_usage(
            "--from and --to exclude -r, -l, -F, -P, --by-comm, -U, -K, --top and --together");
    calls.patterns = {options.pairs.text()};
    return {};
}

Result<> check(Options &options)
{
    TRY(check_pairs(options));
    TRY(options.calls.check());
    TRY(options.latency.check());
    if (options.levels && (*options.levels < 1 || *options.levels > FUNCLATENCY_LEVELS))
        return fail_usage("-l must be 1 to {}", int(FUNCLATENCY_LEVELS));
    if (options.top == 0u)
        return fail_usage("--top must be at least 1");
    TRY(options.stacks.check_keys());
    options.intervals.live().excludes(
        options.heatmap || options.stacks.folded || options.stacks.svg,
        "--heatmap, --folded or --svg");
    if (options.together && (options.calls.by_function || options.stacks.are_keys()))
        return fail_usage("--together excludes -F, -U and -K");
    bool several = options.calls.by_function || options.calls.is_keyed() || options.top ||
                   options.stacks.are_keys();
    if (options.heatmap && (several || options.json() || options.log_linear || options.percentiles))
        return fail_usage(
            "--heatmap excludes -F, -P, --by-comm, -U, -K, --top, --json, --csv, --log-linear and "
            "--percentiles");
    TRY(options.metrics.check_keys(options.stacks.are_keys()));
    TRY(options.intervals.check());
    return options.processes.check();
}

// Decides which calls share a histogram. Functions that call each other would count the same time
// twice in one histogram, so each has its own unless the user wants them together. Without -p,
// calls in all processes are traced, and each function has a histogram for each process, as in BCC.
void choose_keys(Options &options)
{
    const run::Processes &processes = options.processes;
    probe::Calls &calls = options.calls;
    if (options.pairs.any())
        return;
    calls.by_stacks = options.stacks.are_keys();
    calls.by_function |= calls.by_stacks;  // stacks begin at the caller
    if (!options.together && !options.heatmap)
        calls.by_function |=
            calls.may_match_several() || (processes.pids.empty() && !processes.tid);
    calls.by_process |= calls.by_function && !calls.by_comm;
}

Result<std::vector<probe::ProbeRequest>> parse(Options &options)
{
    if (options.pairs.any())
        return options.pairs.parse("funclatency_from", "funclatency_to");
    uint64_t min_ns = TRY(options.latency.min_ns());
    auto probes = TRY(options.calls.parse(spec::ProbeKind::Return, "funclatency_measure"));
    for (probe::ProbeRequest &probe : probes) {
        TRY(options.stacks.check_sides(probe));
        probe.measured = TRY(expr::parse("$latency"));
        probe.measured_text = "$latency";
        probe.event_output.checks_at_entry = options.levels.has_value();
        if (min_ns)
            probe.predicate = TRY(expr::parse(fmt::format("$latency >= {}", min_ns)));
    }
    return probes;
}

output::HistogramStyle style_of(const Options &options)
{
    run::LatencyUnit unit = options.latency.unit();
    return {.label = unit.name,
            .unit = unit.name,
            .suffix = unit.suffix,
            .log_linear = options.log_linear,
            .percentiles = options.percentiles,
            .json = options.json()};
}

telemetry::Metric metric_of(const Options &options)
{
    return options.pairs.any() ? telemetry::histogram_of_time("uscope.between_events.duration",
                                                              "Time between two events.")
                               : telemetry::histogram_of_time("uscope.function.duration",
                                                              "Duration of calls of functions.");
}

class Report {
  public:
    Report(run::Tool &tool, Options &options, stacks::CountedStacks &stacks)
        : tool_(tool),
          options_(options),
          stacks_(stacks),
          unit_(options.latency.unit()),
          heatmap_(run::terminal_heatmap(tool, unit_.heatmap)),
          rows_(tool.out(), probe::call_fields(options.calls, options.pairs.any()),
                style_of(options),
                [&options](const probe::CallKey &key) {
                    return probe::call_title(options.calls, options.pairs.any(), key);
                }),
          metrics_(tool, options.metrics, metric_of(options), rows_, unit_.ns,
                   [this] { return take(); })
    {
    }
    // Creates the BPF maps in which the programs count. Also fails if the file of --svg cannot be
    // written.
    Result<> open(const probe::ProbeSet &probes);
    int map(const probe::Program &program) const
    {
        return options_.pairs.any() ? options_.pairs.map() : tables_.map(program);
    }

    // Prints the histograms of the interval that ends now.
    Result<> show();
    bool any_call() const { return any_call_; }
    telemetry::GroupMetrics<probe::CallKey> &metrics() { return metrics_; }

  private:
    using Histograms = std::map<probe::CallKey, output::Histogram>;
    using Order = std::vector<Histograms::const_pointer>;
    using Folded = std::map<output::NamedStack, uint64_t>;

    Result<Histograms> take();
    void print_all(const Order &order);
    void print_json(const Order &order);
    void add_folded(const Histograms &histograms, Folded &folded) const;
    std::vector<output::StackCount> lines(const Folded &folded) const;
    Result<> print_graph(const Histograms &histograms);

    run::Tool &tool_;
    Options &options_;
    stacks::CountedStacks &stacks_;
    run::LatencyUnit unit_;
    output::Heatmap heatmap_;
    bool is_headed_ = false;
    output::HistogramRows<probe::CallKey> rows_;
    telemetry::GroupMetrics<probe::CallKey> metrics_;
    probe::CallTables tables_;
    Folded whole_run_;  // for --svg
    bool any_call_ = false;
};

Result<> Report::open(const probe::ProbeSet &probes)
{
    if (options_.pairs.any())
        return options_.pairs.open();
    TRY(tables_.create(probes, options_.calls, &stacks_));
    TRY(options_.stacks.check_files());
    return options_.stacks.start_keys(stacks_, probes, options_.processes.for_lookup());
}

void Report::print_all(const Order &order)
{
    std::string &out = tool_.out().buffer();
    if (options_.intervals.shows_time())
        append_format(out, "{:<8}\n", output::Clock::now());
    output::Histogram all(unit_.ns);
    for (auto row : order) {
        rows_.add(row->first, row->second, 0);
        all.merge(row->second);
        if (order.size() > 1) {
            out.push_back('\n');
            output::append_average(out, unit_.name, row->second, tool_.out().columns());
        }
    }
    if (all.empty())
        return;
    out.push_back('\n');
    output::append_average(out, unit_.name, all, tool_.out().columns());
    out.push_back('\n');
}

void Report::print_json(const Order &order)
{
    uint64_t now_ns = output::Clock::now_unix_ns();
    for (auto row : order)
        rows_.add(row->first, row->second, now_ns);
}

// Adds the time that calls with each stack took. The called function becomes the innermost frame.
void Report::add_folded(const Histograms &histograms, Folded &folded) const
{
    for (const auto &[key, calls] : histograms)
        folded[key.stack_of_function()] += uint64_t(calls.sum());
}

std::vector<output::StackCount> Report::lines(const Folded &folded) const
{
    std::vector<output::StackCount> stacks;
    for (const auto &[stack, time] : folded) {
        if (time)
            stacks.push_back(output::folded(stack, time, options_.stacks.form));
    }
    return stacks;
}

Result<> Report::print_graph(const Histograms &histograms)
{
    if (options_.stacks.svg) {
        add_folded(histograms, whole_run_);
        return options_.stacks.draw(
            tool_, options_.processes,
            {.title = "Time in " + options_.calls.quoted(), .unit = std::string(unit_.name)},
            lines(whole_run_));
    }
    Folded folded;
    add_folded(histograms, folded);
    if (options_.intervals.shows_time())
        options_.intervals.append_time(tool_.out().buffer());
    for (const output::StackCount &stack : lines(folded))
        output::append_folded(tool_.out().buffer(), stack);
    return {};
}

Result<Report::Histograms> Report::take()
{
    Histograms histograms;
    auto add = [&](const probe::CallKey &key, uint32_t slot, const histogram_slot &added) {
        histograms.try_emplace(key, unit_.ns).first->second.add(slot, added);
    };
    TRY(options_.pairs.any() ? options_.pairs.take(add) : tables_.take(add));
    any_call_ |= !histograms.empty();
    return histograms;
}

Result<> Report::show()
{
    Histograms histograms = TRY(metrics_.take(options_.intervals.shows_totals()));
    Order order = tool_.out().in_order(output::ranked(
        histograms, [](const output::Histogram &calls) { return calls.count(); }, options_.top));
    if (options_.heatmap && !std::exchange(is_headed_, true))
        tool_.out().heading("latency of " + options_.calls.quoted() + ", calls by time");
    if (options_.heatmap)
        heatmap_.add(tool_.out().buffer(), output::Clock::now(),
                     histograms.empty() ? output::Histogram(unit_.ns) : histograms.begin()->second);
    else if (options_.stacks.folded || options_.stacks.svg)
        TRY(print_graph(histograms));
    else if (options_.json())
        print_json(order);
    else
        print_all(order);
    return {};
}

Result<probe::ProbeSet> build_probes(Options &options, const probe::BuildOptions &build)
{
    auto requests = TRY(parse(options));
    if (options.pairs.any())
        return probe::ProbeSet::build(std::move(requests), build);
    return probe::build_calls(std::move(requests), build,
                              [](const std::string &) { return std::string(); });
}

Result<> prepare(kernel::Object<funclatency_bpf> &object, const Options &options,
                 const probe::ProbeSet &probes)
{
    object->rodata->funclatency_levels = options.levels.value_or(0);
    object->rodata->funclatency_unit_ns = options.latency.unit().ns;
    object->rodata->funclatency_min_ns = TRY(options.latency.min_ns());
    object->rodata->pairs_across_processes = options.pairs.across_processes(probes);
    bpf_program__set_autoload(object->progs.probe_thread_end, options.levels.has_value());
    return options.pairs.prepare(object->maps.pair_starts, options.calls.keys);
}

// Reports the calls or events that could not be measured.
Result<> note_unmeasured(run::Tool &tool, const Options &options,
                         kernel::Object<funclatency_bpf> &object, probe::ProbeSet &probes,
                         const probe::CallEnds &ends, bool any_call)
{
    bool any_entered = probe::note_call_ends(tool, ends);
    if (options.pairs.any()) {
        probes.detach();
        return options.pairs.note_unmatched(tool, bpf_map__fd(object->maps.pair_starts),
                                            bpf_map__fd(object->maps.pair_counts));
    }
    if (!any_call)
        tool.note_nothing(any_entered
                              ? "no call returned: a panic or an exception may have ended them"
                              : "none of the traced functions was called");
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    choose_keys(options);
    probe::BuildOptions build = probe::build_options(options.processes);
    build.sleepable &= !options.stacks.are_keys();  // sleepable programs cannot use stack maps
    options.calls.missing.apply(tool, build);
    auto probes = TRY(build_probes(options, build));
    if (options.levels && probes.any_go_calls())
        return fail_usage(
            "-l counts the levels of a thread, but Go functions move between threads");
    if (probe::show_plan(tool, probes, options.processes))
        return {};

    auto object = TRY(kernel::Object<funclatency_bpf>::open());
    TRY(prepare(object, options, probes));
    stacks::CountedStacks stacks(tool, object);
    TRY(options.stacks.prepare_keys(stacks, build.filter));
    Report report(tool, options, stacks);
    auto ends = TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.processes,
         .intervals = options.intervals,
         .what = options.pairs.any() ? probe::count_probes(probes)
                                     : probe::count_functions(probes, options.calls.patterns),
         .events = options.pairs.any() ? "events" : "calls",
         .full = "no room for more histograms (increase --keys)",
         .open = [&] { return report.open(probes); },
         .table = [&](const probe::Program &program) { return report.map(program); },
         .listen = [&](run::Loop &loop) { return report.metrics().start(loop); },
         .show = [&] { return report.show(); },
         .stacks = &stacks}));
    report.metrics().end();
    return note_unmeasured(tool, options, object, probes, ends, report.any_call());
}

}  // namespace uscope::tools::funclatency
