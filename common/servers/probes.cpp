// Builds the probes on PostgreSQL, MySQL and MariaDB servers, by functions or by USDT probes.
#include "servers/probes.h"

#include "base/format.h"
#include "expr/parse.h"
#include "kernel/map.h"
#include "probe/program.h"

namespace uscope::servers {

using spec::ProbeKind;

probe::ProbeRequest function_probe(spec::ProbeKind kind, const std::string &file,
                                   const std::string &function, const char *calls)
{
    probe::ProbeRequest request;
    request.spec.kind = kind;
    request.spec.library.text = file;
    request.spec.function.text = function;
    request.spec.source = file + ":" + function;
    request.event_output.kind = expr::OutputKind::Key;
    request.event_output.function = calls;
    return request;
}

namespace {

Result<probe::ProbeRequest> call_with(ProbeKind kind, const std::string &file,
                                      const std::string &function, const char *calls,
                                      const std::string &measured)
{
    probe::ProbeRequest request = function_probe(kind, file, function, calls);
    request.measured = TRY(expr::parse(measured));
    return request;
}

Result<> add_values(probe::ProbeRequest &request, const std::vector<std::string> &values)
{
    for (const std::string &value : values)
        TRY(request.add_value(value, {}, expr::ValueForm::Integer));
    return {};
}

// Makes a probe whose values are the members of a statement_errors.
Result<probe::ProbeRequest> failure(const std::string &file, const std::string &function,
                                    const char *calls, const db::PostgresFailure &failure)
{
    probe::ProbeRequest probe = function_probe(ProbeKind::Entry, file, function, calls);
    probe.spec.offset = failure.offset;
    TRY(add_values(
        probe, {fmt::format("{}", failure.errors.depth), fmt::format("{}", failure.errors.codes),
                fmt::format("{}", failure.errors.stride)}));
    return probe;
}

// Traces the calls of a function of a MySQL server. At the entry, the C function decides whether to
// trace this call; at the return, it gets the value that argument number `thd` had at the entry.
Result<probe::ProbeRequest> mysql_call(const std::string &file, const std::string &function,
                                       const char *calls, unsigned thd)
{
    probe::ProbeRequest request =
        TRY(call_with(ProbeKind::Return, file, function, calls, fmt::format("$entry(arg{})", thd)));
    request.event_output.checks_at_entry = true;
    return request;
}

Result<probe::ProbeRequest> error_probe(const std::string &file,
                                        const db::MysqlErrorFunction &error,
                                        const StatementFeatures &features)
{
    if (error.only_unsent && features.nested)
        return function_probe(ProbeKind::Entry, file, error.symbol, "statement_any_error");
    probe::ProbeRequest probe =
        function_probe(ProbeKind::Entry, file, error.symbol,
                       error.number == 2 ? "statement_error2" : "statement_error3");
    if (error.only_unsent)
        probe.predicate =
            TRY(expr::parse(fmt::format("(unsigned)arg{0} == {1} || (unsigned)arg{0} == {2}",
                                        error.number, db::mysql_unsent[0], db::mysql_unsent[1])));
    return probe;
}

}  // namespace

// Probes are attached in the order of the list. So all the functions below put the probes that end
// a statement first: no statement begins whose end is not seen.

Result<std::vector<probe::ProbeRequest>> postgres_statements(const std::string &file,
                                                             const db::PostgresServer &server)
{
    std::vector<probe::ProbeRequest> probes;
    probes.push_back(function_probe(ProbeKind::Entry, file, "pq_getbyte", "statement_next"));
    if (server.failure)
        probes.push_back(
            TRY(failure(file, "AbortCurrentTransaction", "statement_failed", *server.failure)));
    if (server.exit)
        probes.push_back(TRY(failure(file, "errfinish", "statement_exit", *server.exit)));
    probes.push_back(TRY(
        call_with(ProbeKind::Entry, file, "pgstat_report_activity", "statement_activity", "arg2")));
    probes.push_back(function_probe(ProbeKind::Entry, file, "InitPostgres", "statement_login"));
    TRY(add_values(probes.back(), {"arg1", "arg3"}));
    probes.back().predicate = TRY(expr::parse("arg3 != 0"));
    if (server.message) {
        probes.push_back(
            TRY(call_with(ProbeKind::Entry, file, "PostgresMain", "statement_message_at_branch",
                          fmt::format("{}", server.message->after_call))));
        probes.back().spec.offset = server.message->offset;
    } else {
        probes.push_back(
            function_probe(ProbeKind::Return, file, "pq_getbyte", "statement_message"));
    }
    return probes;
}

Result<std::vector<probe::ProbeRequest>> mysql_statements(const std::string &file,
                                                          const db::MysqlServer &server,
                                                          const StatementFeatures &features)
{
    const db::MysqlDispatch &dispatch = server.dispatch;
    std::vector<probe::ProbeRequest> probes;
    if (features.texts) {
        for (const auto *symbols : {&server.prepare, &server.execute}) {
            for (const std::string &symbol : *symbols)
                probes.push_back(
                    function_probe(ProbeKind::Entry, file, symbol, "statement_prepared"));
        }
        for (const db::MysqlErrorFunction &error : server.errors)
            probes.push_back(TRY(error_probe(file, error, features)));
    }
    if (features.nested) {
        constexpr unsigned thd = 2;
        probes.push_back(TRY(mysql_call(file, server.nested, "statement_nested", thd)));
        probes.push_back(
            function_probe(ProbeKind::Entry, file, server.nested_text, "statement_nested_text"));
    }
    // Last, so that all other probes are attached when the first command is seen.
    probes.push_back(TRY(mysql_call(
        file, dispatch.symbol, dispatch.is_com_data() ? "statement_com_data" : "statement_packet",
        dispatch.thd)));
    return probes;
}

statement_server mysql_constants(const db::MysqlServer &server)
{
    statement_server constants = {};
    constants.reports_errors = !server.errors.empty();
    if (server.connection) {
        constants.connection = server.connection->offset;
        constants.connection_bytes = server.connection->bytes;
    }
    if (server.user) {
        constants.security = server.user->security_offset;
        constants.user = server.user->user_offset;
    }
    constants.database = server.database.value_or(0);
    return constants;
}

Result<std::vector<probe::ProbeRequest>> usdt_statements(const std::string &file,
                                                         const std::string &provider)
{
    std::vector<probe::ProbeRequest> probes;
    for (const char *name : {"query__done", "query__start"}) {
        bool is_end = probes.empty();
        probe::ProbeRequest probe =
            function_probe(ProbeKind::Usdt, file, "", is_end ? "statement_end" : "statement_begin");
        probe.spec.category.text = provider;
        probe.spec.event.text = name;
        probe.spec.source = fmt::format("{}:{}", file, name);
        if (!is_end)
            probe.measured = TRY(expr::parse("arg1"));
        probes.push_back(std::move(probe));
    }
    return probes;
}

Result<probe::ProbeSet> MysqlPrograms::build(const proc::FoundFile &program,
                                             const db::MysqlServer &server,
                                             const StatementFeatures &features,
                                             const probe::BuildOptions &options)
{
    statement_server constants = mysql_constants(server);
    auto probes = TRY(mysql_statements(program.open_path, server, features));
    constants_[program.open_path] =
        TRY(kernel::create_constant("statements", {&constants, sizeof(constants)}));
    return probe::ProbeSet::build(std::move(probes), options);
}

int MysqlPrograms::constants_of(const probe::Program &program) const
{
    auto constants = constants_.find(program.probe->spec.library.text);
    return constants == constants_.end() ? -1 : constants->second.get();
}

}  // namespace uscope::servers
