// dbslower: prints the statements of a database server that take long, with their texts.
#include "lib/statement.h"

#include "dbslower.skel.h"

#include "attach/object.h"
#include "attach/ring.h"
#include "db/statement_fields.h"
#include "output/escape.h"
#include "run/session.h"
#include "servers/statement_programs.h"

using namespace uscope;

namespace {

struct Options {
    servers::Statements statements{1'000'000, true};
    uint32_t text_bytes = 4096;
    run::EventOptions events;
    bool wide = false;
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
    options.events.declare(tool);
    options.events.declare_buffer(tool);
    tool.explain(
        "TIME(s) is when the statement began, since the start of the tool. KIND is query, or\n"
        "execute of PostgreSQL's extended protocol and MySQL's prepared statements; what fails\n"
        "before, in a parse, bind or prepare, is shown, too. STATUS is ok, MySQL's number of the\n"
        "error, or PostgreSQL's SQLSTATE.");
    tool.example("dbslower postgres", "statements of 1 ms and more, of all servers");
    tool.example("dbslower postgres -p 181 -m 0", "all statements of one server");
    tool.example("dbslower mysql -m 10ms --json", "for a program");
}

// A preparation is only shown when it fails.
bool is_shown(const db::Statement &statement, const statement_config &config)
{
    return db::is_wanted(statement.event, config) &&
           (statement.event.kind != STATEMENT_PREPARE || statement.event.error);
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(options.events.check());
    TRY(options.statements.check());
    bool is_told = options.wide || options.events.json;
    options.statements.tell({.database = is_told, .user = is_told});
    TRY(options.statements.find(tool));
    if (options.statements.servers().shows_plan(tool))
        return {};

    auto object = TRY(attach::Object<dbslower_bpf>::open());
    servers::StatementPrograms programs(object);
    uint32_t buffer_bytes = options.events.buffer_bytes();
    statement_config config = options.statements.config();
    config.text_bytes = options.text_bytes;
    config.commands[0] |= 1ull << STATEMENT_PREPARE;
    config.wakeup_bytes = attach::wakeup_bytes(buffer_bytes);
    object->rodata->statement_config = config;
    bpf_map__set_max_entries(object->maps.statement_events, buffer_bytes);
    TRY(programs.prepare(options.statements));
    TRY(object.load());

    run::Session session(tool, options.events);
    TRY(session.open());
    output::Clock clock;
    using Columns = db::StatementStyle::Columns;
    output::Rows<db::Statement> rows(
        tool.out(),
        db::statement_fields({.columns = options.wide ? Columns::SlowWide : Columns::Slow,
                              .tells_errors = options.statements.tells_errors()},
                             clock),
        options.events.json);
    db::StatementTexts texts;
    auto on_record = [&](Bytes record) {
        auto statement = texts.read(record);
        if (!statement || !is_shown(*statement, config))
            return false;
        rows.add(*statement);
        return true;
    };
    TRY(session.read({bpf_map__fd(object->maps.statement_events), buffer_bytes,
                      programs.losses(options.events.json), on_record}));
    auto following = TRY(programs.attach(options.statements));
    TRY(session.end_with(options.statements.processes().targets(following)));
    if (!options.events.json)
        output::append(tool.out().buffer(), options.statements.title());
    rows.header();
    options.statements.servers().listen(session.loop());
    return session.run([&] { options.statements.servers().detach(); });
}
