// dbstat: how long the statements of a database server take, as histograms.
#include "dbstat.h"

#include "dbstat.skel.h"

#include <map>

#include "attach/map.h"
#include "attach/object.h"
#include "output/escape.h"
#include "output/histogram_text.h"
#include "run/interval.h"
#include "servers/statements.h"

using namespace uscope;

namespace {

struct Options {
    servers::Statements statements{0, false};
    run::Intervals intervals;
    bool usecs = false;
    bool by_database = false, by_user = false;
    bool percentiles = false, json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("shows how long the statements of a database server take, as histograms");
    options.statements.declare(tool);
    tool.group("What is shown");
    tool.flag('u', "microseconds", options.usecs, "in microseconds instead of milliseconds");
    tool.flag(0, "by-database", options.by_database, "a histogram for each database");
    tool.flag(0, "by-user", options.by_user, "a histogram for each user");
    options.intervals.declare(tool, {.always_time = true});
    tool.flag(0, "percentiles", options.percentiles, "percentiles and the maximum, too");
    tool.flag(0, "json", options.json, "one JSON object a histogram");
    tool.group("Working");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.explain(
        "Statements that fail are counted, too, and executions of prepared statements. Whose they\n"
        "are is known of PostgreSQL and MariaDB.");
    tool.example("dbstat postgres", "all statements, until Ctrl-C");
    tool.example("dbstat postgres -u -i 5 --by-database", "each database, every 5 seconds");
    tool.example("dbstat mysql -p 181 -m 10 --percentiles", "the slow ones of one server");
}

uint64_t unit_ns(const Options &options)
{
    return options.usecs ? 1000 : 1'000'000;
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, int slots)
        : tool_(tool), options_(options), slots_(slots, attach::TableReader::Holds::Slots)
    {
    }
    // An interval's output.
    Result<> show();
    bool any() const { return any_; }

  private:
    struct Group {
        std::string database, user;
        auto operator<=>(const Group &) const = default;
    };
    void print(const Group &group, const output::Histogram &histogram);
    void print_json(const Group &group, const output::Histogram &histogram);
    const char *unit() const { return options_.usecs ? "us" : "ms"; }

    run::Tool &tool_;
    const Options &options_;
    attach::TableReader slots_;
    bool any_ = false;
};

void Report::print(const Group &group, const output::Histogram &histogram)
{
    fmt::memory_buffer &out = tool_.out().buffer();
    std::string title;
    auto add = [&](bool wanted, std::string_view what, const std::string &name) {
        if (wanted)
            title += fmt::format("{}{} = {}", title.empty() ? "" : ", ", what,
                                 name.empty() ? "?" : output::escaped(name));
    };
    add(options_.by_database, "database", group.database);
    add(options_.by_user, "user", group.user);
    if (!title.empty())
        fmt::format_to(fmt::appender(out), "\n{}\n", title);
    size_t columns = tool_.out().columns();
    output::append_log2(out, fmt::format("query latency ({})", unit()), histogram, columns);
    if (options_.percentiles)
        output::append_percentiles(out, unit(), histogram, columns);
}

void Report::print_json(const Group &group, const output::Histogram &histogram)
{
    fmt::memory_buffer &out = tool_.out().buffer();
    fmt::format_to(fmt::appender(out), "{{\"time\":\"{}\"", run::time_of_day());
    auto add = [&](bool wanted, std::string_view key, const std::string &name) {
        if (!wanted)
            return;
        fmt::format_to(fmt::appender(out), ",\"{}\":", key);
        if (name.empty())
            output::append(out, "null");
        else
            output::append_json_string(out, name);
    };
    add(options_.by_database, "database", group.database);
    add(options_.by_user, "user", group.user);
    output::append(out, ",\"histogram\":");
    output::append_json(out, unit(), histogram);
    output::append(out, "}\n");
}

Result<> Report::show()
{
    std::map<Group, output::Histogram> histograms;
    auto name = [](const char(&text)[STATEMENT_NAME]) {
        return std::string(text, strnlen(text, sizeof(text)));
    };
    auto since = attach::TableReader::Since::LastTime;
    TRY(slots_.take(since, [&](Bytes bytes, const histogram_slot &added) {
        auto key = bytes.read<dbstat_key>(0).value_or(dbstat_key{});
        Group group = {name(key.session.database), name(key.session.user)};
        histograms.try_emplace(group, unit_ns(options_)).first->second.add(key.slot, added);
    }));
    any_ |= !histograms.empty();
    if (!options_.json)
        fmt::format_to(fmt::appender(tool_.out().buffer()), "[{}]\n", run::time_of_day());
    for (const auto &[group, histogram] : histograms) {
        if (options_.json)
            print_json(group, histogram);
        else
            print(group, histogram);
    }
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
    options.statements.tell(
        {options.by_database, options.by_user, options.by_database || options.by_user});
    TRY(options.statements.check());
    const run::Processes &processes = options.statements.processes();
    TRY(options.statements.find(tool));
    if (options.verbose)
        fputs(options.statements.servers().describe().c_str(), stderr);

    auto object = TRY(attach::Object<dbstat_bpf>::open());
    servers::StatementPrograms programs(object);
    statement_config config = options.statements.config();
    config.by_database = options.by_database;
    config.by_user = options.by_user;
    object->rodata->statement_config = config;
    object->rodata->dbstat_unit_ns = unit_ns(options);
    TRY(programs.prepare(options.statements));
    TRY(object.load());
    auto following = TRY(programs.attach(options.statements));

    Report report(tool, options, bpf_map__fd(object->maps.dbstat_slots));
    if (!options.json) {
        output::append(tool.out().buffer(), options.statements.title());
        tool.out().flush();
    }
    run::Losses losses = programs.losses(options.json);
    auto show = [&]() -> Result<> {
        TRY(report.show());
        return losses.tell(tool);
    };
    auto listen = [&](run::Loop &loop) {
        options.statements.servers().listen(loop);
        return Result<>();
    };
    TRY(options.intervals.run(tool, processes.until(following), show, listen));
    if (!report.any())
        tool.note_nothing("no statement was seen");
    return {};
}
