// dbslower: prints the statements of a database server that take long, with their texts.
#include <algorithm>
#include <bit>

#include "lib/statement.h"

#include "dbslower.skel.h"

#include "attach/object.h"
#include "attach/ring.h"
#include "db/statement_texts.h"
#include "output/clock.h"
#include "output/escape.h"
#include "run/session.h"
#include "servers/statements.h"

using namespace uscope;

namespace {

constexpr uint64_t largest_buffer = 1 << 30, least_buffer = 1 << 20;

struct Options {
    servers::Statements statements{1, true};
    uint32_t text_bytes = 4096;
    run::ByteSize buffer{4 << 20};
    std::optional<uint64_t> max_events;
    std::optional<double> duration;
    bool wide = false, json = false, verbose = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("prints the statements of a database server that take long, with their texts");
    options.statements.declare(tool);
    tool.group("What is shown");
    tool.flag('w', "wide", options.wide,
              "also the kind of statement, whether it failed, the database, the user");
    tool.option('Z', "string-size", run::InRange{options.text_bytes, 1, 65536}, "BYTES",
                "most bytes of a text, up to 65536 (4096)");
    tool.option('M', "max-events", options.max_events, "N", "end after N lines");
    tool.option('d', "duration", options.duration, "SECONDS", "end after this time");
    tool.flag(0, "json", options.json, "one JSON object a line, with everything");
    tool.group("Working");
    tool.option(0, "buffer", options.buffer, "SIZE", "event buffer, such as 16M (4M)");
    tool.flag('v', "verbose", options.verbose, "say what is attached, with the programs");
    tool.explain(
        "TIME(s) is when the statement began, since the start of the tool. KIND is query, or\n"
        "execute of PostgreSQL's extended protocol and MySQL's prepared statements; what fails\n"
        "before, in a parse, bind or prepare, is shown, too. STATUS is ok, MySQL's number of the\n"
        "error, or PostgreSQL's SQLSTATE.");
    tool.example("dbslower postgres", "statements of 1 ms and more, of all servers");
    tool.example("dbslower postgres -p 181 -m 0", "all statements of one server");
    tool.example("dbslower mysql -m 10 --json", "for a program");
}

Result<> check(Options &options)
{
    if (options.max_events == 0u)
        return fail_usage("-M 0 would show nothing: give at least 1");
    if (options.duration && *options.duration <= 0)
        return fail_usage("-d takes more than 0 seconds");
    if (options.buffer.bytes < least_buffer || options.buffer.bytes > largest_buffer)
        return fail_usage("an event buffer has {}M to {}M", least_buffer >> 20,
                          largest_buffer >> 20);
    return options.statements.check();
}

class Printer {
  public:
    Printer(output::Writer &writer, const Options &options, const statement_config &config)
        : options_(options), config_(config), table_(writer, columns(options), options.json)
    {
    }
    void header() { table_.header(); }
    // False: there is nothing to show.
    bool print(Bytes record);

  private:
    static std::vector<output::Column> columns(const Options &options);
    void print_json(const db::Statement &statement);
    void print_text(const db::Statement &statement);

    const Options &options_;
    const statement_config &config_;
    output::Clock clock_;
    output::Table table_;
    db::StatementTexts texts_;
    fmt::memory_buffer time_;
};

std::vector<output::Column> Printer::columns(const Options &options)
{
    if (options.json)
        return {{"TIME_NS"}, {"PID"},       {"TID"},      {"MS"},      {"KIND"},
                {"QUERY"},   {"TRUNCATED"}, {"LENGTH"},   {"UNKNOWN"}, {"FAILED"},
                {"ERROR"},   {"SQLSTATE"},  {"DATABASE"}, {"USER"}};
    std::vector<output::Column> columns = {{"TIME(s)", 14}, {"PID", 7}, {"MS", 8, output::right}};
    if (options.wide) {
        columns.push_back({"KIND", 7});
        columns.push_back({"STATUS", 6});
        columns.push_back({"DATABASE", 15});
        columns.push_back({"USER", 15});
    }
    columns.push_back({"QUERY"});
    return columns;
}

void Printer::print_json(const db::Statement &statement)
{
    using output::Cell;
    auto if_any = [](bool any, auto value) { return any ? Cell(value) : Cell(); };
    const statement_event &event = statement.event;
    bool has_number = options_.statements.tells_errors() && !options_.statements.is_postgres();
    table_.row({clock_.unix_ns(event.start_ns), event.tgid, event.tid,
                Cell(double(event.took_ns) / 1e6, 6), statement.kind(),
                if_any(statement.has_text, statement.text),
                statement.is_cut ? Cell::json("true") : Cell(),
                if_any(statement.has_text && statement.length, statement.length),
                if_any(statement.unknown, statement.unknown),
                event.error ? Cell::json("true") : Cell(), if_any(has_number, event.error),
                if_any(!statement.sqlstate().empty(), statement.sqlstate()),
                if_any(!statement.database().empty(), statement.database()),
                if_any(!statement.user().empty(), statement.user())});
}

void Printer::print_text(const db::Statement &statement)
{
    using output::Cell;
    const statement_event &event = statement.event;
    time_.clear();
    clock_.append_since_start(time_, event.start_ns);
    std::string query = statement.shown();
    std::string status = statement.status(options_.statements.tells_errors());
    std::vector<Cell> cells = {std::string_view(time_.data(), time_.size()), event.tgid,
                               Cell(double(event.took_ns) / 1e6, 3)};
    if (options_.wide) {
        cells.push_back(statement.kind());
        cells.push_back(status);
        for (std::string_view name : {statement.database(), statement.user()})
            cells.push_back(name.empty() ? std::string_view("-") : name);
    }
    cells.push_back(Cell::json("", query));
    table_.row(cells);
}

bool Printer::print(Bytes record)
{
    auto statement = texts_.read(record);
    // A preparation is only shown when it fails.
    if (!statement || !db::is_wanted(statement->event, config_) ||
        (statement->event.kind == STATEMENT_PREPARE && !statement->event.error))
        return false;
    if (options_.json)
        print_json(*statement);
    else
        print_text(*statement);
    return true;
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    const run::Processes &processes = options.statements.processes();
    bool is_told = options.wide || options.json;
    options.statements.tell({.database = is_told, .user = is_told});
    TRY(options.statements.find(tool));
    if (options.verbose)
        fputs(options.statements.servers().describe().c_str(), stderr);

    auto object = TRY(attach::Object<dbslower_bpf>::open());
    servers::StatementPrograms programs(object);
    uint32_t buffer_bytes = std::bit_ceil(options.buffer.bytes);
    statement_config config = options.statements.config();
    config.text_bytes = options.text_bytes;
    config.commands[0] |= 1ull << STATEMENT_PREPARE;
    config.wakeup_bytes = attach::wakeup_bytes(buffer_bytes);
    object->rodata->statement_config = config;
    bpf_map__set_max_entries(object->maps.statement_events, buffer_bytes);
    TRY(programs.prepare(options.statements));
    TRY(object.load());

    run::Session session(tool);
    TRY(session.open());
    Printer printer(tool.out(), options, config);
    uint64_t shown = 0;
    auto on_record = [&](Bytes record) {
        shown += printer.print(record);
        return !options.max_events || shown < *options.max_events;
    };
    TRY(session.read({bpf_map__fd(object->maps.statement_events), buffer_bytes,
                      programs.losses(options.json), on_record}));
    if (options.duration)
        TRY(session.end_after(*options.duration));
    auto following = TRY(programs.attach(options.statements));
    TRY(session.end_with(processes.until(following)));
    if (!options.json)
        output::append(tool.out().buffer(), options.statements.title());
    printer.header();
    options.statements.servers().listen(session.loop());
    TRY(session.run([&] { options.statements.servers().detach(); }));
    return {};
}
