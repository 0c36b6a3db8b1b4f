#include "probe/statement_probes.h"

#include "expr/parse.h"
#include "lib/statement.h"
#include "probe/call_probe.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

Result<Parsed> call_with(ProbeKind kind, const std::string &file, const std::string &function,
                         const char *calls, const std::string &measured)
{
    Parsed parsed = call_probe(kind, file, function, calls);
    parsed.measured = TRY(expr::parse(measured));
    return parsed;
}

Result<> add_values(Parsed &parsed, const std::vector<std::string> &values)
{
    for (const std::string &value : values) {
        parsed.values.push_back(TRY(expr::parse(value)));
        parsed.wanted.push_back(expr::Wanted::Integer);
    }
    return {};
}

// With a statement_errors.
Result<Parsed> failure(const std::string &file, const std::string &function, const char *calls,
                       const db::PostgresFailure &failure)
{
    Parsed probe = call_probe(ProbeKind::Entry, file, function, calls);
    probe.spec.offset = failure.offset;
    TRY(add_values(
        probe, {fmt::format("{}", failure.errors.depth), fmt::format("{}", failure.errors.codes),
                fmt::format("{}", failure.errors.stride)}));
    return probe;
}

// At dispatch_command()'s entry, with a statement_command.
Result<Parsed> mysql_begin(const std::string &file, const db::MysqlServer &server,
                           const StatementWish &wish)
{
    const db::MysqlDispatch &dispatch = server.dispatch;
    std::string command = dispatch.command_value();
    Parsed begin =
        TRY(call_with(ProbeKind::Entry, file, dispatch.symbol,
                      dispatch.is_com_data() ? "statement_com_data" : "statement_packet", command));
    std::string wanted =
        fmt::format("{0} == {1} || {0} == {2} || {0} == {3}", command, int(STATEMENT_QUERY),
                    int(STATEMENT_EXECUTE), int(STATEMENT_BULK_EXECUTE));
    if (wish.texts)
        wanted += fmt::format(" || {0} == {1} || {0} == {2}", command, int(STATEMENT_PREPARE),
                              int(STATEMENT_QUIT));
    begin.predicate = TRY(expr::parse(wanted));
    std::string database = wish.databases ? server.database_pointer() : "0",
                user = wish.users ? server.user_pointer() : "0";
    // What may be unreadable comes with its reasons before all values.
    bool has_reasons = database != "0" || user != "0";
    begin.delivery.header_bytes = has_reasons ? 0 : sizeof(statement_command::unread);
    TRY(add_values(begin, {fmt::format("arg{}", dispatch.thd), fmt::format("arg{}", dispatch.data),
                           dispatch.is_com_data() ? "0" : dispatch.text_length(), database, user}));
    return begin;
}

}  // namespace

// In all of these, what ends a statement comes first: then none begins whose end is not seen.

Result<std::vector<Parsed>> postgres_statements(const std::string &file,
                                                const db::PostgresServer &server)
{
    std::vector<Parsed> probes;
    probes.push_back(call_probe(ProbeKind::Entry, file, "pq_getbyte", "statement_next"));
    if (server.failure)
        probes.push_back(
            TRY(failure(file, "AbortCurrentTransaction", "statement_failed", *server.failure)));
    if (server.exit)
        probes.push_back(TRY(failure(file, "errfinish", "statement_exit", *server.exit)));
    probes.push_back(TRY(
        call_with(ProbeKind::Entry, file, "pgstat_report_activity", "statement_activity", "arg2")));
    probes.push_back(call_probe(ProbeKind::Entry, file, "InitPostgres", "statement_login"));
    TRY(add_values(probes.back(), {"arg1", "arg3"}));
    probes.back().predicate = TRY(expr::parse("arg3 != 0"));
    probes.push_back(call_probe(ProbeKind::Return, file, "pq_getbyte", "statement_message"));
    return probes;
}

Result<std::vector<Parsed>> mysql_statements(const std::string &file, const db::MysqlServer &server,
                                             const StatementWish &wish)
{
    std::vector<Parsed> probes;
    probes.push_back(
        call_probe(ProbeKind::Return, file, server.dispatch.symbol,
                   server.dispatch.may_suspend ? "statement_end_or_wait" : "statement_end"));
    if (wish.texts) {
        for (const auto *symbols : {&server.prepare, &server.execute}) {
            for (const std::string &symbol : *symbols)
                probes.push_back(
                    TRY(call_with(ProbeKind::Entry, file, symbol, "statement_prepared", "arg1")));
        }
        for (const db::MysqlErrorFunction &error : server.errors) {
            probes.push_back(call_probe(ProbeKind::Entry, file, error.symbol, "statement_error"));
            TRY(add_values(probes.back(), {fmt::format("(unsigned)arg{}", error.number),
                                           fmt::format("arg{}", error.number + 2)}));
        }
    }
    probes.push_back(TRY(mysql_begin(file, server, wish)));
    return probes;
}

Result<std::vector<Parsed>> usdt_statements(const std::string &file, const std::string &provider)
{
    std::vector<Parsed> probes;
    for (const char *name : {"query__done", "query__start"}) {
        bool is_end = probes.empty();
        Parsed probe =
            call_probe(ProbeKind::Usdt, file, "", is_end ? "statement_end" : "statement_begin");
        probe.spec.category.text = provider;
        probe.spec.event.text = name;
        probe.spec.source = fmt::format("{}:{}", file, name);
        if (!is_end)
            probe.measured = TRY(expr::parse("arg1"));
        probes.push_back(std::move(probe));
    }
    return probes;
}

}  // namespace uscope::probe
