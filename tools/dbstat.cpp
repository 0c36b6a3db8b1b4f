// dbstat: shows how long the statements of a database server take, as histograms.
#include "bpf/dbstat.h"

#include "dbstat.skel.h"

#include <map>

#include "base/format.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/escape.h"
#include "output/histogram_rows.h"
#include "run/interval.h"
#include "servers/programs.h"
#include "telemetry/group_metrics.h"

namespace uscope::tools::dbstat {
namespace {

struct Options {
    servers::Statements statements{0, false};
    run::Intervals intervals;
    bool usecs = false;
    bool by_database = false, by_user = false;
    bool percentiles = false, json = false;
    telemetry::MetricOptions metrics;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers, "shows how long a database server's statements take");
    options.statements.declare(tool);
    tool.group("What is shown");
    tool.flag('u', "microseconds", options.usecs, "in microseconds instead of milliseconds");
    tool.flag(0, "by-database", options.by_database, "a histogram for each database");
    tool.flag(0, "by-user", options.by_user, "a histogram for each user");
    options.intervals.declare(tool, {.always_time = true, .live = true});
    tool.flag(0, "percentiles", options.percentiles, "also show percentiles and the maximum");
    tool.json_flag(options.json, "histogram", run::Tool::Forms::JsonAndCsv);
    options.metrics.declare(tool, "the histograms");
    tool.explain(
        "Counts failed statements and executions of prepared statements as well; for MySQL and\n"
        "MariaDB, not statements that fail while they are prepared. --by-database and --by-user\n"
        "need PostgreSQL or MariaDB.");
    tool.example("dbstat postgres", "all statements, until Ctrl-C");
    tool.example("dbstat postgres -u -i 5 --by-database", "each database, every 5 seconds");
    tool.example("dbstat mysql -p 181 -m 10ms --percentiles", "the slow ones of one server");
}

uint64_t unit_ns(const Options &options)
{
    return options.usecs ? 1000 : 1'000'000;
}

struct Group {
    std::string database, user;
    auto operator<=>(const Group &) const = default;
};

std::vector<output::Field<Group>> fields_of(const Options &options)
{
    using Field = output::Field<Group>;
    return {
        Field("database", output::if_any(&Group::database))
            .only_if(options.by_database)
            .attribute("db.namespace"),
        Field("user", output::if_any(&Group::user)).only_if(options.by_user),
    };
}

constexpr telemetry::Metric statement_metric = telemetry::histogram_of_time(
    "uscope.statement.duration", "Duration of statements in the database server.");

class Report {
  public:
    Report(run::Tool &tool, const Options &options, int slots)
        : tool_(tool),
          options_(options),
          slots_(slots, kernel::TableReader::Holds::Slots),
          rows_(tool.out(), fields_of(options), style(options)),
          metrics_(tool, options.metrics, statement_metric, rows_, unit_ns(options),
                   [this] { return take(); })
    {
    }
    // Prints the histograms of the interval that ends now, or all.
    Result<> show();
    bool any() const { return any_; }
    telemetry::GroupMetrics<Group> &metrics() { return metrics_; }

  private:
    using Histograms = std::map<Group, output::Histogram>;
    Result<Histograms> take();
    static output::HistogramStyle style(const Options &options)
    {
        const char *unit = options.usecs ? "us" : "ms";
        return {.label = fmt::format("query latency ({})", unit),
                .unit = unit,
                .suffix = unit,
                .percentiles = options.percentiles,
                .json = options.json};
    }

    run::Tool &tool_;
    const Options &options_;
    kernel::TableReader slots_;
    output::HistogramRows<Group> rows_;
    telemetry::GroupMetrics<Group> metrics_;
    bool any_ = false;
};

Result<Report::Histograms> Report::take()
{
    Histograms histograms;
    auto name = [](const char(&text)[STATEMENT_NAME]) {
        return std::string(text, strnlen(text, sizeof(text)));
    };
    auto since = kernel::TableReader::Since::LastTime;
    TRY(slots_.take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<dbstat_key>(0).value_or(dbstat_key{});
        Group group = {name(key.session.database), name(key.session.user)};
        histograms.try_emplace(group, unit_ns(options_)).first->second.add(key.slot, added);
    }));
    any_ |= !histograms.empty();
    return histograms;
}

Result<> Report::show()
{
    auto histograms = TRY(metrics_.take(options_.intervals.shows_totals()));
    if (!options_.json)
        append_format(tool_.out().buffer(), "[{}]\n", output::Clock::now());
    uint64_t now_ns = output::Clock::now_unix_ns();
    for (const auto &[group, histogram] : histograms)
        rows_.add(group, histogram, now_ns);
    if (!options_.json)
        tool_.out().buffer().push_back('\n');
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.intervals.check());
    TRY(options.metrics.check());
    options.statements.report(
        {options.by_database, options.by_user, options.by_database || options.by_user});
    TRY(options.statements.check());
    const run::Processes &processes = options.statements.processes();
    TRY(options.statements.find(tool));
    if (options.statements.servers().print_plan(tool))
        return {};

    auto object = TRY(kernel::Object<dbstat_bpf>::open());
    servers::StatementPrograms programs(object);
    statement_config config = options.statements.config();
    config.by_database = options.by_database;
    config.by_user = options.by_user;
    object->rodata->statement_config = config;
    object->rodata->dbstat_unit_ns = unit_ns(options);
    TRY(programs.prepare(options.statements));
    TRY(object.load());
    auto follower = TRY(programs.attach(options.statements));

    Report report(tool, options, bpf_map__fd(object->maps.dbstat_slots));
    run::Losses losses = programs.losses();
    auto show = [&]() -> Result<> {
        TRY(report.show());
        return losses.report(tool);
    };
    std::string what;
    auto listen = [&](run::Loop &loop) {
        options.statements.servers().listen(loop);
        what = options.statements.what();
        return report.metrics().start(loop);
    };
    TRY(options.intervals.run(tool, what, processes.targets(follower), show, listen));
    report.metrics().end();
    if (!report.any())
        tool.note_nothing("no statements seen");
    return servers::report_open(tool, programs.open_statements(), config);
}

}  // namespace uscope::tools::dbstat
