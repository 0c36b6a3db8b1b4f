// mysqlqueries: prints the statements that clients send to MySQL and MariaDB servers, with
// latencies.
#include "bpf/servers/statement.h"

#include "mysqlqueries.skel.h"

#include "base/regex.h"
#include "base/text.h"
#include "db/digests.h"
#include "db/mysql.h"
#include "db/statement_fields.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "output/escape.h"
#include "probe/kernel_maps.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "run/interval.h"
#include "run/session.h"
#include "servers/digest_report.h"
#include "servers/programs.h"
#include "telemetry/conventions.h"
#include "telemetry/spans.h"

namespace uscope::tools::mysqlqueries {
namespace {

struct Options {
    run::Processes processes;
    std::string program;
    std::vector<std::string> commands, matches, regex_texts;
    run::EventOptions events;
    uint64_t min_ns = 0;
    servers::DigestOptions digests;
    telemetry::SpanOptions spans;
    std::vector<Regex> regexes;
    uint32_t string_bytes = STATEMENT_LONG;
    bool nested = false, user = false, secrets = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Servers, "prints the statements that MySQL and MariaDB execute");
    tool.positional(options.program, "PROGRAM",
                    "trace every process that runs this server program (default without -p: "
                    "all mysqld and mariadbd, also in containers and those that start later)");
    options.processes.declare(tool, 'L', 0);
    options.processes.declare_cgroup(tool, 'c');

    probe::declare_returns(tool, options.processes);

    tool.group("Which statements");
    tool.option('m', "min", run::Duration{options.min_ns, 1'000'000}, "TIME",
                "only statements that take at least TIME, such as 10ms (default unit: ms)");
    tool.option(0, "command", run::List{options.commands}, "NAME[,NAME]",
                "only these commands: query, execute, prepare, init_db, quit, ping ...")
        .values = db::mysql_command_names;
    tool.option(0, "match", options.matches, "TEXT",
                "only statements that contain TEXT; may be repeated");
    tool.option(0, "regex", options.regex_texts, "REGEX",
                "only statements that contain a match of the extended regular expression; may be "
                "repeated");
    tool.flag(0, "nested", options.nested,
              "also the statements in stored procedures and functions");

    options.processes.begin_shown(tool);
    tool.option('Z', "string-size", run::BytesInRange{options.string_bytes, 1, STATEMENT_LONG},
                "BYTES", "show at most BYTES of a statement (default 65536)");
    options.spans.declare_trace_id(tool, "statement");
    tool.flag(0, "show-secrets", options.secrets, "show passwords instead of '<secret>'");
    tool.flag('u', "user", options.user,
              "add a column with the connection's user, if the server reports it");
    options.events.declare_full(tool);
    options.digests.declare(
        tool, "count statements that differ only in their values together, with latencies");
    options.digests.declare_tag(tool);
    options.events.declare(tool, "statements");
    options.spans.declare(tool, "statement",
                          "export statements with their values, which are otherwise ?");
    options.events.declare_buffer(tool);
    tool.explain(
        "TIME is when a statement began, LATENCY how long the server worked on it, STATUS ok or\n"
        "the number of the error that the server sent to the client.");
    tool.example("mysqlqueries", "every statement of every server");
    tool.example("mysqlqueries -p 181 --min 10ms --command query,execute",
                 "slow statements of one server");
    tool.example("mysqlqueries --digest -i 10 --top 20",
                 "the statements that take most time, every 10 s");
}

Result<> check(Options &options)
{
    if (!options.program.empty() && !options.processes.pids.empty())
        return fail_usage("PROGRAM and -p exclude each other");
    TRY(options.events.check());
    TRY(options.digests.check());
    TRY(options.spans.check());
    if (options.digests.digest && options.spans.trace_id)
        return fail_usage("--trace-id and --digest exclude each other");
    if (options.digests.digest && options.user)
        return fail_usage(
            "--digest and --user exclude each other: digests count all users together");
    for (const std::string &text : options.regex_texts) {
        auto regex = Regex::compile(text);
        if (!regex)
            return fail_usage("--regex: {}", regex.error().text);
        options.regexes.push_back(std::move(*regex));
    }
    return options.processes.check();
}

Result<statement_config> configure(const Options &options)
{
    statement_config config = {};
    config.min_ns = options.min_ns;
    config.text_bytes = options.string_bytes;
    config.wakeup_bytes = kernel::wakeup_bytes(options.events.buffer_bytes());
    config.names = options.user || options.spans.any() || options.spans.metrics.any();
    config.texts_of_prepared = true;
    auto filter = options.processes.filter(false);
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    for (__u64 &commands : config.commands)
        commands = options.commands.empty() ? ~0ull : 0;
    for (const std::string &name : options.commands) {
        auto command = db::parse_mysql_command(trim(name));
        if (!command)
            return fail_usage(
                "--command: \"{}\" is not a command of the protocol (query, execute, prepare, "
                "init_db, quit, ping ...)",
                name);
        config.commands[*command >> 6] |= 1ull << (*command & 63);
    }
    return config;
}

class Report {
  public:
    Report(run::Tool &tool, const Options &options, const statement_config &config)
        : options_(options),
          config_(config),
          rows_(tool.out(), db::statement_fields(style(options), clock_), options.events.json),
          statements_(options.secrets),
          digests_(tool, options.digests,
                   {.json = options.events.json, .full = options.events.full}, "statements"),
          spans_(tool, options.spans, db::statement_attributes(options.spans.values),
                 [this](const db::Statement &s) { return telemetry::span_of(s, clock_); })
    {
        if (!options.events.full)
            rows_.cut_lines();
    }

    void header()
    {
        if (!options_.digests.digest)
            rows_.header();
    }
    // Returns false if the record is not shown.
    bool add(Bytes record);
    servers::DigestReport &digests() { return digests_; }
    telemetry::Spans<db::Statement> &spans() { return spans_; }
    uint64_t open() const { return open_; }  // with --digest: statements still under way

  private:
    static db::StatementStyle style(const Options &options)
    {
        using Columns = db::StatementStyle::Columns;
        return {.columns = options.user ? Columns::AllWithUser : Columns::All,
                .trace_id = options.spans.trace_id};
    }
    bool is_wanted(const db::Statement &statement) const;

    const Options &options_;
    const statement_config &config_;
    output::Clock clock_;
    output::Rows<db::Statement> rows_;
    db::StatementTexts statements_;
    servers::DigestReport digests_;
    telemetry::Spans<db::Statement> spans_;
    uint64_t open_ = 0;
};

bool Report::is_wanted(const db::Statement &statement) const
{
    return db::is_wanted(statement.event, config_) &&
           contains_any(statement.text, options_.matches) &&
           accepts_any(options_.regexes,
                       [&](const Regex &regex) { return regex.is_in(statement.text); });
}

bool Report::add(Bytes record)
{
    auto statement = statements_.read(record);
    if (!statement || !is_wanted(*statement))
        return false;
    spans_.add(*statement);
    if (options_.digests.digest && statement->event.is_open)
        open_++;
    else if (options_.digests.digest)
        digests_.add(statement->digest(), statement->event.took_ns, statement->event.error,
                     statement->tag(options_.digests.tag));
    else
        rows_.add(*statement);
    return true;
}

Result<db::MysqlServer> find_server(run::Tool &tool, const Options &options,
                                    const proc::FoundFile &program)
{
    auto image = TRY(elf::Image::open(program.open_path));
    auto server = TRY(db::find_mysql_server(image, program.path, program.root));
    if (options.nested && (server.nested.empty() || server.nested_text.empty()))
        return fail(
            "{} does not export sp_instr_stmt::execute() and alloc_query(), which --nested needs; "
            "omit --nested",
            program.path);
    if (server.prepare.empty() || server.execute.empty())
        tool.note(
            "{} does not export Prepared_statement::prepare() and execute_loop(); executions of "
            "prepared statements are shown without their texts",
            program.path);
    if (options.user && !server.user)
        tool.note("{} has no thd_user_name() that shows where a connection's user is",
                  program.path);
    return server;
}

Result<> trace(run::Tool &tool, const Options &options, const statement_config &config,
               servers::Servers &servers, const servers::MysqlPrograms &programs)
{
    auto object = TRY(kernel::Object<mysqlqueries_bpf>::open());
    object->rodata->statement_config = config;
    uint32_t buffer_bytes = options.events.buffer_bytes();
    bpf_map__set_max_entries(object->maps.statement_events, buffer_bytes);
    probe::KernelMaps maps(object);
    TRY(servers.prepare(maps));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    Report report(tool, options, config);
    TRY(session.read({bpf_map__fd(object->maps.statement_events), buffer_bytes,
                      servers::statement_losses(object->maps.statement_lost),
                      [&](Bytes record) { return report.add(record); }}));
    auto follower = TRY(maps.follow(options.processes));
    TRY(session.end_with(options.processes.targets(follower)));
    TRY(servers.attach(maps, [&](const probe::Program &program) {
        return probe::ProgramBinding{{expr::MapSlot::Table, programs.constants_of(program)}};
    }));
    servers.listen(session.loop());
    report.header();
    TRY(report.digests().show_every_interval(session.loop()));
    TRY(report.spans().start(session.loop()));
    TRY(session.run("statements of MySQL and MariaDB servers", [&] { servers.detach(); }));

    if (!session.has_enough())
        TRY(servers::each_open_statement(servers::statement_maps(object), config, session.end_ns(),
                                         [&](Bytes record) { report.add(record); }));
    if (options.digests.digest)
        report.digests().show();
    servers::report_open(tool, report.open());
    report.spans().end();
    tool.out().flush();
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
    statement_config config = TRY(configure(options));

    servers::MysqlPrograms programs;
    auto build = [&](const proc::FoundFile &program, const probe::BuildOptions &build) {
        auto server = find_server(tool, options, program);
        servers::StatementFeatures features = {.texts = true, .nested = options.nested};
        return server ? programs.build(program, *server, features, build)
                      : Result<probe::ProbeSet>(Failure(server.error()));
    };
    servers::Servers servers(tool,
                             {.processes = options.processes,
                              .program = options.program,
                              .is_program = db::is_mysql_server,
                              .names = "mysqld or mariadbd"},
                             build);
    TRY(servers.find());
    if (servers.print_plan(tool))
        return {};
    return trace(tool, options, config, servers, programs);
}

}  // namespace uscope::tools::mysqlqueries
