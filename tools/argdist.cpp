// argdist: evaluates expressions of a function's arguments, result and latency at each call. Counts
// how often each combination of values occurs, or draws a histogram. The kernel side does the
// counting.
#include "bpf/unwind/site_stacks.h"

#include "argdist.skel.h"
#include "base/format.h"
#include "base/tool_name.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/heatmap.h"
#include "output/histogram_rows.h"
#include "output/process_stacks.h"
#include "output/rank.h"
#include "probe/aggregates.h"
#include "probe/counts.h"
#include "probe/describe.h"
#include "probe/program.h"
#include "probe/row_metrics.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "probe/table.h"
#include "run/interval.h"
#include "run/terminal.h"
#include "stacks/counted_stacks.h"
#include "telemetry/metrics.h"

namespace uscope::tools::argdist {
namespace {

constexpr unsigned default_string_bytes = 80, max_string_bytes = 240;
constexpr uint32_t default_keys = 65536;

struct Options {
    std::vector<std::string> counts, histograms;
    std::vector<std::string> ignored;  // BCC's options that this tool does not need
    run::Processes processes;
    run::Intervals intervals;
    unsigned string_bytes = default_string_bytes;
    uint32_t keys = default_keys;
    std::optional<uint64_t> top;
    probe::Aggregates sums;
    probe::Sampling sampling;
    bool cumulative = false, log_linear = false, heatmap = false;
    bool json = false;
    probe::StackOptions stacks;
    probe::SkipMissing missing;
    telemetry::MetricOptions metrics;
    bool shows_processes = false;  // if a key has $pid
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Calls,
                 "shows the distribution of arguments, results and latencies");
    tool.group("What is counted");
    tool.option('C', "count", options.counts, "SPECIFIER",
                "count events by the values of expressions; repeatable");
    tool.option('H', "histogram", options.histograms, "SPECIFIER",
                "draw a histogram of an expression; repeatable");
    tool.option('z', "string-size", run::BytesInRange{options.string_bytes, 0, UINT32_MAX}, "BYTES",
                "keep at most BYTES of a string (default 80, max 240)");
    options.stacks.declare_keys(tool);
    tool.option(0, "keys", options.keys, "N",
                "keep at most N distinct keys per specifier (default 65536)");
    options.stacks.declare_stacks(tool, "stacks");
    options.processes.declare(tool, 't');
    options.processes.declare_cgroup(tool);
    options.missing.declare(tool);
    options.sampling.declare(tool);
    options.processes.begin_shown(tool, &options.shows_processes, "--json");
    options.sums.declare(tool);
    options.intervals.declare(tool, {.interval = 1, .always_time = true, .live = true});
    tool.flag('c', "cumulative", options.cumulative, "do not reset counts at each interval");
    tool.option('T', "top", options.top, "N", "show only the N greatest rows of each count");
    tool.flag(0, "log-linear", options.log_linear, "finer histograms, and percentiles");
    tool.flag(0, "heatmap", options.heatmap,
              "draw histograms as a heat map: one line per interval, darker means more");
    tool.json_flag(options.json, "row", run::Tool::Forms::JsonAndCsv);
    options.metrics.declare(tool, "counts and histograms");
    tool.group("Working");
    probe::declare_functions(tool, options.processes);
    tool.group(run::bcc_spellings);
    tool.option('I', "include", options.ignored, "HEADER",
                "accepted for BCC, ignored: types come from debug information and BTF");
    tool.example("argdist -C 'p:c:malloc(size_t size):size_t:size:size > 4096'",
                 "count large allocations by size");
    tool.example("argdist -H 'r:c:read():u64:$latency#read, ns' --log-linear",
                 "how long read() takes");
    tool.example("argdist -C 'u:postgres:query__start():char*:arg1' -T 10",
                 "the ten most frequent statements");
    tool.example("argdist -H 'r::vfs_read'", "what reads return, in the kernel");
    tool.example("argdist -H 'p:c:write(int fd, void *p, size_t n):int,size_t:fd,n lin(0,999,9)'",
                 "sizes of small writes for each descriptor");
    tool.example("argdist -C 'r:c:read(int fd):int:$entry(fd)' --sum retval --avg '$latency'",
                 "bytes and time of reads, by descriptor");
    tool.example("argdist -U -C 'p:c:write(int fd):int:fd'", "stacks that write, by descriptor");
    tool.explain(fmt::format(
        "SPECIFIER is  WHERE(SIGNATURE)[:TYPE[,...]:EXPRESSION[,...][:CONDITION]][#LABEL]\n"
        "  WHERE       p:LIB:FUNC  r:LIB:FUNC  u:LIB:[PROVIDER:]PROBE  t:CATEGORY:EVENT,\n"
        "              as in {0}; p::FUNC  r::FUNC of the kernel; FUNC may be\n"
        "              +0x349f, the function at this address\n"
        "  SIGNATURE   C declarations of parameters that expressions name; may be empty\n"
        "  TYPE        the type of each expression; char* shows a string\n"
        "  EXPRESSION  as in {0}: also $retval, $entry(PARAMETER), $latency (ns), $pid,\n"
        "              $comm. -C counts by all of them; -H draws the last one, for each\n"
        "              value of the others; `EXPRESSION lin(MIN,MAX,STEP)` draws it with\n"
        "              linear rows",
        tool_name("trace")));
}

Result<> check(run::Tool &tool, Options &options)
{
    if (options.counts.empty() && options.histograms.empty())
        return fail_usage(
            "at least one specifier is required, such as -C 'p:c:malloc(size_t n):size_t:n'");
    if (options.string_bytes < 1)
        return fail_usage("-z must be at least 1");
    if (options.string_bytes > max_string_bytes) {
        options.string_bytes = max_string_bytes;
        tool.note("strings are keys here, so only their first {} bytes are kept", max_string_bytes);
    }
    if (options.keys == 0)
        return fail_usage("--keys must be at least 1");
    if (options.top == 0u)
        return fail_usage("-T must be at least 1");
    TRY(options.sums.check(!options.counts.empty()));
    TRY(options.sampling.check());
    if (options.heatmap && (options.histograms.size() != 1 || !options.counts.empty()))
        return fail_usage("--heatmap draws one histogram: use a single -H and no -C");
    if (options.heatmap && (options.json || options.log_linear))
        return fail_usage("--heatmap excludes --json, --csv and --log-linear");
    TRY(options.stacks.check_keys());
    if (tool.out().style().csv && options.stacks.are_keys())
        return fail_usage("--csv has no stacks: use --json");
    TRY(options.metrics.check_keys(options.stacks.are_keys()));
    options.shows_processes = options.json || options.metrics.any();
    TRY(options.processes.check());
    options.intervals.live().excludes(options.heatmap, "--heatmap");
    return options.intervals.check();
}

Result<std::vector<probe::ProbeRequest>> parse(const Options &options)
{
    std::vector<probe::ProbeRequest> probes;
    auto add = [&](const std::string &text, probe::Gather gather) -> Result<> {
        probes.push_back(TRY(probe::parse_specifier(text, gather)));
        probe::ProbeRequest &probe = probes.back();
        TRY(options.stacks.check_sides(probe));
        bool has_slots = probe.measured && !probe.buckets, is_keyed = !probe.values.empty(),
             by_stacks = options.stacks.are_keys();
        if (gather == probe::Gather::Count)
            TRY(options.sums.add_to(probe));
        std::string function = has_slots                ? "argdist_measure"
                               : !probe.addends.empty() ? "argdist_sum"
                                                        : "argdist_count";
        function += by_stacks ? "_stacks" : is_keyed ? "_keyed" : "";
        probe.event_output = {expr::OutputKind::Key, function,
                              stacks::key_header_bytes(is_keyed, by_stacks)};
        probe.ignores_result = true;
        return {};
    };
    for (const std::string &text : options.counts)
        TRY(add(text, probe::Gather::Count));
    for (const std::string &text : options.histograms)
        TRY(add(text, probe::Gather::Histogram));
    bool is_keyed = !probes[0].values.empty() || options.stacks.are_keys();
    if (options.heatmap && (is_keyed || probes[0].buckets))
        return fail_usage("--heatmap draws one histogram, without keys or linear rows");
    return probes;
}

class Report {
  public:
    // `stacks`: null if neither -U nor -K is given.
    Report(run::Tool &tool, const Options &options, const probe::ProbeSet &probes,
           stacks::CountedStacks *stacks)
        : tool_(tool),
          options_(options),
          probes_(probes),
          stacks_(stacks),
          heatmap_(run::terminal_heatmap(tool, unit())),
          metrics_(tool, options.metrics)
    {
    }
    // Creates the BPF maps in which the programs count, one for each program.
    Result<> open();
    int map(const probe::Program &program) const { return tables_.at(&program).map(); }

    // Prints the counts of the interval that ends now, which has this number; with -c, those since
    // the start.
    Result<> show(uint64_t interval);
    // Call at the end: names each specifier (-C, -H) that had no event.
    void note_silent() const;
    telemetry::Metrics &metrics() { return metrics_; }

  private:
    output::Heatmap::Unit unit() const
    {
        return probes_.programs()[0]->probe->measured_text == "$latency"
                   ? output::Heatmap::Unit::Nsecs
                   : output::Heatmap::Unit::None;
    }
    void count(const probe::ProbeRequest &probe, const probe::Rows &rows);
    void print(const probe::ProbeRequest &probe, const probe::Rows &rows);
    void print_counts(const probe::ProbeRequest &probe, const probe::Rows &rows);
    void print_histogram(const probe::ProbeRequest &probe, const probe::RowKey &key,
                         const probe::Row &row);
    void print_json(const probe::ProbeRequest &probe, const probe::Rows &rows);
    void print_csv(const probe::ProbeRequest &probe, const probe::Rows &rows);
    bool shows_sums(const probe::ProbeRequest &probe) const
    {
        return !probe.measured && options_.sums.any();
    }
    // Histograms by their counts, the greatest last; counts as the options say.
    probe::Aggregates::Order order(const probe::ProbeRequest &probe, const probe::Rows &rows) const;

    run::Tool &tool_;
    const Options &options_;
    const probe::ProbeSet &probes_;
    stacks::CountedStacks *stacks_;
    output::Heatmap heatmap_;
    bool is_headed_ = false;
    std::map<const probe::Program *, probe::Table> tables_;
    std::map<const probe::ProbeRequest *, uint64_t> seen_;
    uint64_t time_ns_ = 0;  // end of the interval, since 1970
    std::string time_;
    telemetry::Metrics metrics_;
};

Result<> Report::open()
{
    for (const auto &program : probes_.programs()) {
        probe::Table table = TRY(probe::Table::create(
            *program, options_.keys, options_.string_bytes, stacks_, options_.sampling));
        if (metrics_.any() || options_.processes.show_container)
            table.keep_texts();
        tables_.emplace(program.get(), std::move(table));
    }
    return stacks_ ? options_.stacks.start_keys(*stacks_, probes_, options_.processes.for_lookup())
                   : Result<>();
}

probe::Aggregates::Order Report::order(const probe::ProbeRequest &probe,
                                       const probe::Rows &rows) const
{
    if (!probe.measured)
        return tool_.out().in_order(options_.sums.ranked(rows, options_.top));
    return tool_.out().in_order(
        output::ranked(rows, [](const probe::Row &row) { return row.count; }, {}));
}

void Report::print_counts(const probe::ProbeRequest &probe, const probe::Rows &rows)
{
    std::string &out = tool_.out().buffer();
    auto order = this->order(probe, rows);
    auto lines = options_.sums.lines(order, rows);
    append_format(out, "{}\n\t{}{}\n", output::escaped(probe.label), lines[0], "EVENT");
    for (size_t i = 0; i < order.size(); i++) {
        const auto &[text, stack] = order[i]->first;
        const char *total = stacks_ ? "calls" : "total calls";
        append_format(out, "\t{}{}\n", lines[i + 1], text.empty() ? total : text);
        output::append_frames(out, stack, options_.stacks.form);
    }
}

void Report::print_histogram(const probe::ProbeRequest &probe, const probe::RowKey &key,
                             const probe::Row &row)
{
    std::string &out = tool_.out().buffer();
    std::string label =
        output::escaped(probe.label == probe.spec.source ? probe.measured_text : probe.label);
    if (options_.heatmap) {
        if (!std::exchange(is_headed_, true))
            tool_.out().heading(unit() == output::Heatmap::Unit::None ? label + ", calls by value"
                                                                      : label + ", calls by time");
        return heatmap_.add(out, time_, row.histogram);
    }
    if (!key.text.empty())
        append_format(out, "\n{}\n", key.text);
    else if (stacks_)
        out.push_back('\n');
    output::append_frames(out, key.stack, options_.stacks.form);
    size_t columns = tool_.out().columns();
    if (probe.buckets)
        return output::append_linear(out, label, *probe.buckets, row.buckets, columns);
    output::append_tables(out, {.label = label, .log_linear = options_.log_linear}, row.histogram,
                          columns);
}

void Report::print_json(const probe::ProbeRequest &probe, const probe::Rows &rows)
{
    std::string &out = tool_.out().buffer();
    for (auto entry : order(probe, rows)) {
        const probe::Row &row = entry->second;
        output::JsonObject object(out);
        object.add("time_ns", time_ns_)
            .add("probe", probe.label)
            .add("key", output::Cell::json(row.json.empty() ? "{}" : std::string_view(row.json)))
            .add("count", row.count);
        if (auto pid = probe::pid_of(probe, row))
            output::add_process_members(object, tool_.out().process_columns(), *pid);
        if (shows_sums(probe))
            object.add("sums", output::Cell::json(options_.sums.json(row)));
        if (stacks_)
            output::add_stacks(object, entry->first.stack);
        if (probe.buckets)
            output::append_json(object.member("histogram"), probe.measured_text, *probe.buckets,
                                row.buckets);
        else if (probe.measured)
            output::append_json(object.member("histogram"), probe.measured_text, row.histogram);
        object.end_line();
    }
}

// The columns are the members of the JSON object, and of its histogram without the buckets.
void Report::print_csv(const probe::ProbeRequest &probe, const probe::Rows &rows)
{
    for (auto entry : order(probe, rows)) {
        const probe::Row &row = entry->second;
        std::vector<output::Column> columns = {
            {"", {}, "time_ns"}, {"", {}, "probe"}, {"", {}, "key"}, {"", {}, "count"}};
        std::vector<output::Cell> cells = {
            time_ns_, probe.label,
            output::Cell::json(row.json.empty() ? "{}" : std::string_view(row.json)), row.count};
        std::string sums;
        if (shows_sums(probe)) {
            sums = options_.sums.json(row);
            columns.push_back({"", {}, "sums"});
            cells.push_back(output::Cell::json(sums));
        }
        if (probe.measured && !probe.buckets) {
            for (auto &[key, cell] :
                 output::histogram_members(probe.measured_text, row.histogram)) {
                if (key == "count")
                    continue;
                columns.push_back({"", {}, std::string(key)});
                cells.push_back(std::move(cell));
            }
        }
        output::Table(tool_.out(), std::move(columns), true).row(cells);
    }
}

void Report::print(const probe::ProbeRequest &probe, const probe::Rows &rows)
{
    if (tool_.out().style().csv)
        return print_csv(probe, rows);
    if (options_.json)
        return print_json(probe, rows);
    if (!probe.measured)
        return print_counts(probe, rows);
    if (options_.heatmap && rows.empty())
        return print_histogram(probe, {}, {});
    for (auto row : order(probe, rows))
        print_histogram(probe, row->first, row->second);
}

void Report::count(const probe::ProbeRequest &probe, const probe::Rows &rows)
{
    probe::RowMetrics counter(metrics_.store(), probe, options_.sums.expressions(),
                              tool_.out().process_columns());
    for (const auto &[key, row] : rows)
        counter.add(row);
}

Result<> Report::show(uint64_t interval)
{
    using Since = probe::Table::Since;
    time_ns_ = output::Clock::now_unix_ns();
    time_ = output::Clock::now();
    if (!options_.json && !options_.heatmap)
        append_format(tool_.out().buffer(), "[{}]\n", time_);
    if (options_.cumulative)
        metrics_.store().reset();
    for (size_t i = 0; i < probes_.programs().size();) {
        const probe::ProbeRequest *probe = probes_.programs()[i]->probe;
        probe::Rows rows;
        for (; i < probes_.programs().size() && probes_.programs()[i]->probe == probe; i++)
            TRY(tables_.at(probes_.programs()[i].get())
                    .take(options_.cumulative ? Since::Start : Since::LastTime, rows, interval));
        for (const auto &[key, row] : rows)
            seen_[probe] += row.count;
        if (metrics_.any())
            count(*probe, rows);
        print(*probe, rows);
    }
    return {};
}

void Report::note_silent() const
{
    const probe::ProbeRequest *last = nullptr;
    for (const auto &program : probes_.programs()) {
        if (program->probe != last && !seen_.contains(program->probe))
            tool_.note_nothing(fmt::format("{}: no event", output::escaped(program->probe->label)));
        last = program->probe;
    }
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
    build.string_bytes = options.string_bytes;
    build.sleepable &= !options.stacks.are_keys();  // sleepable programs cannot use stack maps
    options.missing.apply(tool, build);
    options.sampling.apply(build);
    auto probes = TRY(probe::ProbeSet::build(TRY(parse(options)), build));
    if (probe::show_plan(tool, probes, options.processes))
        return {};

    auto object = TRY(kernel::Object<argdist_bpf>::open());
    object->rodata->sums_have_extremes = options.sums.has_extremes();
    stacks::CountedStacks stacks(tool, object);
    TRY(options.stacks.prepare_keys(stacks, build.filter));
    Report report(tool, options, probes, options.stacks.are_keys() ? &stacks : nullptr);
    auto ends = TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.processes,
         .intervals = options.intervals,
         .what = probe::count_probes(probes),
         .full = "no room for more keys (increase --keys)",
         .open = [&] { return report.open(); },
         .table = [&](const probe::Program &program) { return report.map(program); },
         .listen = [&](run::Loop &loop) { return report.metrics().start(loop); },
         .show =
             [&] {
                 uint64_t interval = object->bss->sums_interval;
                 object->bss->sums_interval += !options.cumulative;
                 return report.show(interval);
             },
         .stacks = &stacks}));
    report.metrics().end();
    probe::note_call_ends(tool, ends);
    options.sampling.note(tool);
    report.note_silent();
    return {};
}

}  // namespace uscope::tools::argdist
