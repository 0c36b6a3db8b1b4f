// The list of fields of a statement, with their titles, widths, keys and values.
#include "db/statement_fields.h"

#include "base/format.h"
#include "db/mysql.h"
#include "db/query_summary.h"
#include "proc/process.h"
#include "wire/trace_parent.h"

namespace uscope::db {
namespace {

std::string command_of(const Statement &statement)
{
    return statement.event.depth ? "Nested" : mysql_command_name(statement.event.kind);
}

// The value of db.system.name. Looks at the process's file only if it differs from the last one.
class SystemName {
  public:
    output::Cell operator()(const Statement &statement)
    {
        if (statement.is_postgres())
            return "postgresql";
        if (tgid_ != statement.event.tgid) {
            tgid_ = statement.event.tgid;
            is_mariadb_ = proc::executable_name(pid_t(tgid_)).starts_with("maria");
        }
        return is_mariadb_ ? "mariadb" : "mysql";
    }

  private:
    uint32_t tgid_ = 0;
    bool is_mariadb_ = false;
};

}  // namespace

output::Rows<Statement>::Fields statement_fields(const StatementStyle &style,
                                                 const output::Clock &clock)
{
    using Columns = StatementStyle::Columns;
    using Event = statement_event;
    using Field = output::Field<Statement>;
    using output::Cell, output::if_any, output::or_dash, output::rest;
    bool has_user = style.columns == Columns::AllWithUser;
    bool is_all = style.columns == Columns::All || has_user;
    bool is_wide = style.columns == Columns::SlowWide;
    auto event = output::members_of(&Statement::event);
    auto connection = or_dash(if_any(event(&Event::connection_id)));
    auto database = or_dash(if_any(&Statement::database));
    auto user = or_dash(if_any(&Statement::user));
    auto status = [reports_errors = style.reports_errors](const Statement &s) {
        return s.status(reports_errors && (s.is_postgres() || s.event.reports_errors));
    };
    auto mysql_error = [](const Statement &s) {
        return Cell::when(s.event.reports_errors && !s.is_postgres(), s.event.error);
    };
    auto failed = [](const Statement &s) { return s.event.error != 0; };
    auto command = [](const Statement &s) {
        return s.is_postgres() ? Cell() : Cell(command_of(s));
    };
    auto text = [](const Statement &s) { return Cell::when(s.has_text, s.text); };
    auto shown = [](const Statement &s) { return Cell::safe(s.shown()); };
    auto length = [](const Statement &s) { return Cell::when(s.has_text && s.length, s.length); };
    auto count = [](const Statement &s) { return Cell::when(s.count() > 1, s.count()); };
    auto unknown = [](const Statement &s) { return s.unknown ? Cell(s.unknown) : Cell(); };
    auto trace = [](const Statement &s) { return wire::trace_id(s.traceparent()); };
    auto is_open = [](const Statement &s) { return s.event.is_open != 0; };
    return {
        Field::time(clock, event(&Event::start_ns)),
        Field("PID", 7, "pid", event(&Event::tgid)).gives_way(3),
        Field("TID", 7, "tid", event(&Event::tid)).in_table_if(is_all).gives_way(4),
        Field("CONN", 6, "connection", connection).in_table_if(is_all).gives_way(1),
        Field("USER", 12, user).only_if(has_user),
        Field::duration("LATENCY", "latency_ns", event(&Event::took_ns)),
        Field("KIND", 7, "kind", &Statement::kind).in_table_if(is_wide).gives_way(2),
        Field("STATUS", 6, status).only_if(is_all || is_wide),
        {"failed", if_any(failed)},
        {"error", mysql_error},
        {"sqlstate", if_any(&Statement::sqlstate)},
        Field("COMMAND", 8, "command", command).in_table_if(is_all).gives_way(2),
        Field("DATABASE", 15, "database", database).in_table_if(is_wide),
        Field("USER", 15, "user", user).in_table_if(is_wide),
        {"depth", if_any(event(&Event::depth))},
        {"statement_id", if_any(event(&Event::statement_id))},
        Field("TRACE", 32, "trace_id", or_dash(if_any(trace))).only_if(style.trace_id),
        {"QUERY", rest, "query", text, if_any(shown)},
        {"length", length},
        {"statements", count},
        {"open", if_any(is_open)},
        {"masked", if_any(&Statement::is_masked)},
        {"truncated", if_any(&Statement::is_cut)},
        {"unknown", unknown},
    };
}

output::Rows<Statement>::Fields statement_attributes(bool values)
{
    using Field = output::Field<Statement>;
    using output::Cell, output::if_any;
    auto exported_text = [values](const Statement &s) {
        return Cell::when(s.has_text, values ? s.text : std::string_view(s.digest()));
    };
    auto summary = [](const Statement &s) { return std::string_view(s.summary()); };
    auto operation = [](const Statement &s) { return query_operation(s.digest()); };
    auto error_text = [](const Statement &s) {
        return s.event.error ? Cell(s.status(true)) : Cell();
    };
    return {
        Field::only_attribute("db.system.name", SystemName()),
        Field::only_attribute("db.namespace", if_any(&Statement::database)),
        Field::only_attribute("db.query.text", exported_text),
        Field::only_attribute("db.query.summary", summary),
        Field::only_attribute("db.operation.name", operation),
        Field::only_attribute("db.response.status_code", error_text),
        Field::only_attribute("error.type", error_text),
    };
}

}  // namespace uscope::db
