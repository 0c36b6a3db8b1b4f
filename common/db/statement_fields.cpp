// The list of fields of a statement, with their titles, widths, keys and values.
#include "db/statement_fields.h"

#include "base/format.h"
#include "db/mysql.h"

namespace uscope::db {
namespace {

using output::Cell;

constexpr double ns_per_ms = 1e6;

Cell name_or_dash(std::string_view name)
{
    return name.empty() ? Cell("-") : Cell(name);
}

std::string command_of(const Statement &statement)
{
    return statement.event.depth ? "Nested" : mysql_command_name(statement.event.kind);
}

}  // namespace

output::Rows<Statement>::Fields statement_fields(const StatementStyle &style,
                                                 const output::Clock &clock)
{
    using Columns = StatementStyle::Columns;
    bool is_all = style.columns == Columns::All || style.columns == Columns::AllWithUser;
    bool is_wide = style.columns == Columns::SlowWide;
    auto only_if = [](bool shown, const char *title) { return shown ? title : ""; };
    auto user = [](const Statement &statement) { return name_or_dash(statement.user()); };
    auto status = [reports_errors = style.reports_errors](const Statement &statement) {
        bool is_reported = statement.is_postgres() || statement.event.reports_errors;
        return statement.status(reports_errors && is_reported);
    };
    output::Rows<Statement>::Fields fields = {
        {.title = is_all ? "TIME" : "TIME(s)",
         .width = is_all ? 8 : 14,
         .key = "time_ns",
         .value = [&clock](const Statement &s) { return clock.unix_ns(s.event.start_ns); },
         .shown =
             [&clock, is_all](const Statement &s) {
                 return is_all ? clock.time_of_day(s.event.start_ns)
                               : clock.since_start(s.event.start_ns);
             }},
        {.title = "PID",
         .width = 7,
         .key = "pid",
         .value = [](const Statement &s) { return s.event.tgid; }},
        {.title = only_if(is_all, "TID"),
         .width = 7,
         .key = "tid",
         .value = [](const Statement &s) { return s.event.tid; }},
        {.title = only_if(is_all, "CONN"),
         .width = 6,
         .key = "connection",
         .value =
             [](const Statement &s) {
                 return Cell::when(s.event.connection_id, s.event.connection_id);
             },
         .shown =
             [](const Statement &s) {
                 return s.event.connection_id ? Cell(s.event.connection_id) : Cell("-");
             }},
        {.title = only_if(style.columns == Columns::AllWithUser, "USER"),
         .width = 12,
         .value = user},
        {.title = is_all ? "LATENCY" : "MS",
         .width = is_all ? 13 : 8,
         .right = true,
         .key = "latency_ns",
         .value = [](const Statement &s) { return s.event.took_ns; },
         .shown = [is_all](const Statement &s) -> Cell {
             double milliseconds = s.event.took_ns / ns_per_ms;
             return is_all ? Cell(fmt::format("{:.3f} ms", milliseconds)) : Cell(milliseconds, 3);
         }},
        {.title = only_if(is_wide, "KIND"),
         .width = 7,
         .key = "kind",
         .value = [](const Statement &s) { return s.kind(); }},
        {.title = only_if(is_all || is_wide, "STATUS"), .width = 6, .value = status},
        {.key = "failed",
         .value = [](const Statement &s) { return Cell::when(s.event.error, true); }},
        {.key = "error",
         .value =
             [](const Statement &s) {
                 return Cell::when(s.event.reports_errors && !s.is_postgres(), s.event.error);
             }},
        {.key = "sqlstate",
         .value =
             [](const Statement &s) { return Cell::when(!s.sqlstate().empty(), s.sqlstate()); }},
        {.title = only_if(is_all, "COMMAND"),
         .width = 8,
         .key = "command",
         .value =
             [](const Statement &s) { return s.is_postgres() ? Cell() : Cell(command_of(s)); }},
        {.title = only_if(is_wide, "DATABASE"),
         .width = 15,
         .key = "database",
         .value =
             [](const Statement &s) { return Cell::when(!s.database().empty(), s.database()); },
         .shown = [](const Statement &s) { return name_or_dash(s.database()); }},
        {.title = only_if(is_wide, "USER"),
         .width = 15,
         .key = "user",
         .value = [](const Statement &s) { return Cell::when(!s.user().empty(), s.user()); },
         .shown = user},
        {.key = "depth",
         .value = [](const Statement &s) { return Cell::when(s.event.depth, s.event.depth); }},
        {.key = "statement_id",
         .value =
             [](const Statement &s) {
                 return Cell::when(s.event.statement_id, s.event.statement_id);
             }},
        {.title = "QUERY",
         .key = "query",
         .value = [](const Statement &s) { return Cell::when(s.has_text, s.text); },
         .shown =
             [](const Statement &s) {
                 std::string text = s.shown();
                 return text.empty() ? Cell() : Cell::safe(std::move(text));
             }},
        {.key = "length",
         .value = [](const Statement &s) { return Cell::when(s.has_text && s.length, s.length); }},
        {.key = "statements",
         .value = [](const Statement &s) { return Cell::when(s.count() > 1, s.count()); }},
        {.key = "open",
         .value = [](const Statement &s) { return Cell::when(s.event.is_open, true); }},
        {.key = "masked",
         .value = [](const Statement &s) { return Cell::when(s.is_masked, true); }},
        {.key = "truncated",
         .value = [](const Statement &s) { return Cell::when(s.is_cut, true); }},
        {.key = "unknown",
         .value = [](const Statement &s) { return s.unknown ? Cell(s.unknown) : Cell(); }},
    };
    return fields;
}

}  // namespace uscope::db
