// ustat: shows what the programs of all languages do (calls, collections, objects, exceptions),
// like top.
#include "bpf/runtimes/activity.h"

#include "ustat.skel.h"

#include "base/clock.h"
#include "base/format.h"
#include "base/named.h"
#include "base/text.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/file.h"
#include "probe/lost_counts.h"
#include "run/interval.h"
#include "run/tool.h"
#include "runtimes/activities.h"
#include "telemetry/metrics.h"

namespace uscope::tools::ustat {
namespace {

struct Options {
    run::Processes processes;
    run::Intervals intervals;
    std::vector<std::string> words;  // INTERVAL COUNT
    std::string language, sort, openmetrics;
    const lang::Language *wanted = nullptr;  // -l; null: all
    std::optional<size_t> column;            // -S
    std::optional<uint64_t> max_rows = 20;
    bool keep_screen = false, unsafe = false, json = false;
    telemetry::MetricOptions metrics;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Programs, "shows what programs of all languages do, like top");
    tool.positional(options.words, "[INTERVAL [COUNT]]", "the same as -i and -n");
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);
    tool.option('l', "language", run::OnlyOne{options.language}, "LANGUAGE", "only this language")
        .values = [] { return lang::names_of_languages(); };
    tool.flag(0, "unsafe", options.unsafe, "also use probes that are known to harm the program");
    options.processes.begin_shown(tool);
    tool.option('S', "sort", options.sort, "COLUMN",
                fmt::format("largest first by {}", alternatives(lang::activity_column_names())))
        .values = lang::activity_column_names;
    tool.option('r', "top,maxrows", options.max_rows, "N", "show at most N rows (default 20)");
    tool.flag('C', "noclear", options.keep_screen, "do not clear the screen");
    options.intervals.declare(tool,
                              {.duration = 'D', .interval = 1, .always_time = true, .live = true});
    tool.json_flag(options.json, "process and interval", run::Tool::Forms::JsonAndCsv);
    options.metrics.declare(tool, "totals");
    tool.option(0, "openmetrics", options.openmetrics, "FILE",
                "write totals to FILE at each interval instead of rows: for node_exporter if its "
                "name ends in .prom, else as OpenMetrics");
    tool.verbose_option('v', "d,verbose,debug");
    tool.explain(
        "A runtime reports only what its build and its options enable; other values are shown as\n"
        "\"-\", and -v says how to enable them. Java: -XX:+DTraceMethodProbes,\n"
        "-XX:+DTraceAllocProbes; PHP: USE_ZEND_DTRACE=1; Ruby: a TracePoint.");
    tool.example("ustat", "all processes, each second");
    tool.example("ustat -l java -S gc 5", "Java, most collections first, each 5 seconds");
    tool.example("ustat -i 15 --openmetrics /var/lib/prometheus/node-exporter/ustat.prom",
                 "for Prometheus");
}

Result<> check(Options &options)
{
    TRY(options.intervals.take_interval(options.words));
    if (!options.language.empty())
        options.wanted = TRY(lang::find_language(options.language));
    if (!options.sort.empty())
        options.column = TRY(lang::find_activity_column(options.sort));
    if (options.max_rows == 0u)
        return fail_usage("-r must be at least 1");
    if (options.json && !options.openmetrics.empty())
        return fail_usage("--json or --csv and --openmetrics exclude each other");
    options.intervals.live().excludes(options.keep_screen, "--noclear");
    if (!options.keep_screen && !options.json && options.openmetrics.empty())
        options.intervals.live().use();
    options.intervals.live().set_order({"", options.max_rows});
    TRY(options.intervals.check());
    TRY(options.processes.check());
    if (!options.openmetrics.empty()) {
        if (!options.metrics.prometheus.empty())
            return fail_usage("--openmetrics and --prometheus exclude each other");
        TRY(output::check_new_file(options.openmetrics, "--openmetrics"));
        options.metrics.prometheus = options.openmetrics;
        options.metrics.form = options.openmetrics.ends_with(".prom")
                                   ? telemetry::TextForm::Prometheus
                                   : telemetry::TextForm::OpenMetrics;
    }
    return options.metrics.check();
}

// --- output --------------------------------------------------------------------------------------

class Report {
  public:
    Report(run::Tool &tool, Options &options, runtimes::Activities &runtimes, int lost_map)
        : tool_(tool),
          options_(options),
          runtimes_(runtimes),
          lost_(probe::lost_counts(lost_map, "events", "no room for more processes")),
          metrics_(tool, options.metrics)
    {
    }
    Result<> show();
    // On a terminal, shows the processes at once, before the first interval has ended.
    Result<> start(run::Loop &loop)
    {
        last_ns_ = monotonic_ns();
        TRY(metrics_.start(loop));
        if (options_.json || !options_.openmetrics.empty())
            return {};
        if (tool_.interactive()) {
            auto rows = since_last(TRY(take()));
            count(rows);
            auto write = [&] { print(std::move(rows), 1); };
            if (!options_.intervals.live().draw(write))
                write();
        }
        tool_.out().flush();
        return {};
    }
    void end() { metrics_.end(); }

  private:
    Result<std::vector<lang::Activity>> take();
    std::vector<lang::Activity> since_last(const std::vector<lang::Activity> &totals);
    void print(std::vector<lang::Activity> rows, double seconds);
    void count(const std::vector<lang::Activity> &rows);

    run::Tool &tool_;
    Options &options_;
    runtimes::Activities &runtimes_;
    run::Losses lost_;
    telemetry::Metrics metrics_;
    std::map<pid_t, lang::Activity> before_;
    uint64_t last_ns_ = 0;
};

// Filters such as --comm run in the kernel, at each event. So if a process has no events, the tool
// cannot know whether the filters exclude it: omit it.
Result<std::vector<lang::Activity>> Report::take()
{
    auto totals = TRY(runtimes_.take());
    if (options_.processes.any_kernel_filter())
        std::erase_if(totals, [](const lang::Activity &total) { return total.events() == 0; });
    return totals;
}

std::vector<lang::Activity> Report::since_last(const std::vector<lang::Activity> &totals)
{
    std::vector<lang::Activity> rows;
    std::map<pid_t, lang::Activity> now;
    for (const lang::Activity &total : totals) {
        lang::Activity &row = rows.emplace_back(total);
        auto before = before_.find(total.pid);
        for (size_t i = 0; before != before_.end() && i < lang::activity_columns; i++)
            row.values[i] -= std::min(row.values[i], before->second.values[i]);
        now.emplace(total.pid, total);
    }
    before_ = std::move(now);
    return rows;
}

void Report::print(std::vector<lang::Activity> rows, double seconds)
{
    std::string &out = tool_.out().buffer();
    lang::sort_activities(rows, options_.column);
    if (!options_.json) {
        auto load = read_file("/proc/loadavg");
        out.push_back('\n');
        append_format(out, "{:<8} loadavg: {}\n", output::Clock::now(), load ? trim(*load) : "");
    }
    output::Rows<lang::ActivityRow> table(tool_.out(), lang::activity_fields(), options_.json);
    table.header();
    if (auto max = tool_.out().max_rows(options_.max_rows);
        !options_.json && max && rows.size() > *max)
        rows.resize(*max);
    uint64_t now_ns = output::Clock::now_unix_ns();
    for (const lang::Activity &row : rows)
        table.add({row, seconds, now_ns});
}

// Adds what the processes did to the metrics, without processes that have ended.
void Report::count(const std::vector<lang::Activity> &rows)
{
    using telemetry::Metric;
    if (!metrics_.any())
        return;
    telemetry::MetricStore &store = metrics_.store();
    store.begin_round();
    for (const lang::Activity &row : rows) {
        telemetry::Labels labels = {{"pid", fmt::format("{}", row.pid)},
                                    {"language", row.language},
                                    {"command", output::escaped(row.command)}};
        for (const output::ProcessColumn &column : tool_.out().process_columns()) {
            if (!column.title.empty())
                labels.emplace_back(column.key, column.text(row.pid));
        }
        for (size_t i = 0; i < lang::activity_columns; i++) {
            auto unit = i == lang::paused_column  ? Metric::Unit::Seconds
                        : i == lang::bytes_column ? Metric::Unit::Bytes
                                                  : Metric::Unit::None;
            const lang::ActivityColumn &column = lang::activity_table[i];
            if (row.has(i))
                store.add({column.metric, Metric::Kind::Counter, unit, column.help}, labels,
                          row.values[i], row.values[i]);
        }
    }
    store.drop_ended();
}

Result<> Report::show()
{
    runtimes_.refresh();
    auto totals = TRY(take());
    uint64_t now = monotonic_ns();
    double seconds = (now - std::exchange(last_ns_, now)) / 1e9;
    auto rows = since_last(totals);
    count(rows);
    if (options_.openmetrics.empty())
        print(std::move(rows), seconds);
    else
        metrics_.write_file();
    return lost_.report(tool_);
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));

    auto object = TRY(kernel::Object<ustat_bpf>::open());
    probe::KernelMaps maps(object);
    runtimes::Activities runtimes(tool, options.processes, {options.wanted, options.unsafe});
    if (tool.dry_run())
        return runtimes.find();
    TRY(runtimes.prepare(maps));
    TRY(object.load());
    auto follower = TRY(maps.follow(options.processes));
    Report report(tool, options, runtimes, bpf_map__fd(object->maps.table_lost));
    TRY(options.intervals.run(
        tool, "the runtimes of languages", options.processes.targets(follower),
        [&] { return report.show(); },
        [&](run::Loop &loop) -> Result<> {
            int table = bpf_map__fd(object->maps.ustat_processes);
            TRY(runtimes.listen(loop, {maps, table}, follower));
            return report.start(loop);
        }));
    report.end();
    return {};
}

}  // namespace uscope::tools::ustat
