// dbslower: prints slow statements of a database server, with their texts.
#include "bpf/servers/statement.h"

#include "dbslower.skel.h"

#include "db/statement_fields.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/escape.h"
#include "run/session.h"
#include "servers/digest_report.h"
#include "servers/programs.h"
#include "telemetry/conventions.h"
#include "telemetry/spans.h"

namespace uscope::tools::dbslower {
namespace {

struct Options {
    servers::Statements statements{1'000'000, true};
    uint32_t text_bytes = 4096;
    run::EventOptions events;
    servers::DigestOptions digests;
    telemetry::SpanOptions spans;
    bool wide = false, secrets = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers,
                 "prints slow statements of a database server, with their texts");
    options.statements.declare(tool);
    options.statements.begin_shown(tool);
    tool.flag('w', "wide", options.wide,
              "also show the kind of statement, whether it failed, database and user");
    tool.option('Z', "string-size", run::BytesInRange{options.text_bytes, 1, 65536}, "BYTES",
                "show at most BYTES of a text (default 4096, max 65536)");
    options.spans.declare_trace_id(tool, "statement");
    tool.flag(0, "show-secrets", options.secrets, "show passwords instead of '<secret>'");
    options.events.declare_full(tool);
    options.digests.declare(
        tool, "count statements that differ only in their values together, with latencies");
    options.digests.declare_tag(tool);
    options.events.declare(tool);
    options.spans.declare(tool, "statement",
                          "export statements with their values, which are otherwise ?");
    options.events.declare_buffer(tool);
    tool.explain(
        "TIME is when the statement began, LATENCY how long the server worked on it. KIND is\n"
        "query, or execute for PostgreSQL's extended protocol and MySQL's prepared statements;\n"
        "a failed parse, bind or prepare is also shown. STATUS is ok, MySQL's error number or\n"
        "PostgreSQL's SQLSTATE.");
    tool.example("dbslower postgres", "statements that take 1 ms or more, of all servers");
    tool.example("dbslower postgres -p 181 -m 0", "all statements of one server");
    tool.example("dbslower postgres -m 0 --digest -i 5 --top 20",
                 "the statements that take most time, every 5 s");
    tool.example("dbslower mysql -m 10ms --json", "for a program");
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, const statement_config &config)
        : tool_(tool),
          options_(options),
          config_(config),
          rows_(tool.out(), db::statement_fields(style(options), clock_), options.events.json),
          texts_(options.secrets),
          digests_(tool, options.digests,
                   {.json = options.events.json, .full = options.events.full}, "statements"),
          spans_(tool, options.spans, db::statement_attributes(options.spans.values),
                 [this](const db::Statement &s) { return telemetry::span_of(s, clock_); })
    {
        if (!options.events.full)
            rows_.cut_lines();
    }

    void header();
    // Returns false if the record is not shown.
    bool add(Bytes record);
    servers::DigestReport &digests() { return digests_; }
    telemetry::Spans<db::Statement> &spans() { return spans_; }
    void end();

  private:
    static db::StatementStyle style(const Options &options)
    {
        using Columns = db::StatementStyle::Columns;
        return {.columns = options.wide ? Columns::SlowWide : Columns::Slow,
                .reports_errors = options.statements.reports_errors(),
                .trace_id = options.spans.trace_id};
    }
    bool is_shown(const db::Statement &statement) const;

    run::Tool &tool_;
    const Options &options_;
    const statement_config &config_;
    output::Clock clock_;
    output::Rows<db::Statement> rows_;
    db::StatementTexts texts_;
    servers::DigestReport digests_;
    telemetry::Spans<db::Statement> spans_;
    uint64_t open_ = 0;  // with --digest: statements still under way when the tool ends
};

void Report::header()
{
    if (!options_.digests.digest)
        rows_.header();
}

// Preparing a statement (STATEMENT_PREPARE) is shown only if it failed, or was still under way when
// the tool ended.
bool Report::is_shown(const db::Statement &statement) const
{
    return db::is_wanted(statement.event, config_) &&
           (statement.event.kind != STATEMENT_PREPARE || statement.event.error ||
            statement.event.is_open);
}

bool Report::add(Bytes record)
{
    auto statement = texts_.read(record);
    if (!statement || !is_shown(*statement))
        return false;
    spans_.add(*statement);
    if (!options_.digests.digest)
        rows_.add(*statement);
    else if (statement->event.is_open)
        open_++;
    else
        digests_.add(statement->digest(), statement->event.took_ns, statement->event.error,
                     statement->tag(options_.digests.tag));
    return true;
}

void Report::end()
{
    if (options_.digests.digest)
        digests_.show();
    servers::report_open(tool_, open_);
    spans_.end();
    tool_.out().flush();
}

Result<> trace(run::Tool &tool, Options &options)
{
    auto object = TRY(kernel::Object<dbslower_bpf>::open());
    servers::StatementPrograms programs(object);
    uint32_t buffer_bytes = options.events.buffer_bytes();
    statement_config config = options.statements.config();
    config.text_bytes = options.text_bytes;
    config.commands[0] |= 1ull << STATEMENT_PREPARE;
    config.wakeup_bytes = kernel::wakeup_bytes(buffer_bytes);
    object->rodata->statement_config = config;
    bpf_map__set_max_entries(object->maps.statement_events, buffer_bytes);
    TRY(programs.prepare(options.statements));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    Report report(tool, options, config);
    auto on_record = [&](Bytes record) { return report.add(record); };
    TRY(session.read(
        {bpf_map__fd(object->maps.statement_events), buffer_bytes, programs.losses(), on_record}));
    auto follower = TRY(programs.attach(options.statements));
    TRY(session.end_with(options.statements.processes().targets(follower)));
    options.statements.servers().listen(session.loop());
    report.header();
    TRY(report.digests().show_every_interval(session.loop()));
    TRY(report.spans().start(session.loop()));
    TRY(session.run(options.statements.what(), [&] { options.statements.servers().detach(); }));
    if (!session.has_enough())
        TRY(servers::each_open_statement(programs.open_statements(), config, session.end_ns(),
                                         on_record));
    report.end();
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.events.check());
    TRY(options.digests.check());
    TRY(options.spans.check());
    if (options.digests.digest && options.spans.trace_id)
        return fail_usage("--trace-id and --digest exclude each other");
    if (options.wide && options.digests.digest && !options.events.json)
        return fail_usage("-w and --digest exclude each other, except with --json or --csv");
    TRY(options.statements.check());
    bool is_reported = options.wide || options.events.json;
    options.statements.report({.database = is_reported, .user = is_reported});
    TRY(options.statements.find(tool));
    if (options.statements.servers().print_plan(tool))
        return {};

    return trace(tool, options);
}

}  // namespace uscope::tools::dbslower
