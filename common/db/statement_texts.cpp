// Reads records, finds the texts of executions, and formats statements.
#include "db/statement_texts.h"

#include <cstring>

#include "base/format.h"
#include "db/cut_text.h"
#include "db/digest.h"
#include "db/mysql.h"
#include "db/query_summary.h"
#include "db/secrets.h"
#include "db/sql_count.h"
#include "db/sql_line.h"
#include "db/sql_tags.h"

namespace uscope::db {
namespace {

std::string_view name_of(const char (&name)[STATEMENT_NAME])
{
    return {name, strnlen(name, sizeof(name))};
}

// Returns why a PostgreSQL message that failed has no text.
const char *without_text(std::string_view sqlstate)
{
    for (auto [code, why] : {std::pair("26000", "no such prepared statement"),
                             {"34000", "no such portal"},
                             {"22021", "its bytes are not in the client's encoding"}}) {
        if (sqlstate == code)
            return why;
    }
    return "it failed before the server had its text";
}

std::string digest_of(const Statement &statement)
{
    const statement_event &event = statement.event;
    if (statement.is_postgres() && statement.has_text)
        return digest(statement.text, statement.dialect());
    bool is_plain = event.kind == STATEMENT_QUERY || event.kind == STATEMENT_EXECUTE ||
                    event.kind == STATEMENT_BULK_EXECUTE;
    if (is_plain && statement.has_text)
        return digest(statement.text);
    std::string name = fmt::format("({})", mysql_command_name(event.kind));
    if (event.kind == STATEMENT_PREPARE && statement.has_text)
        return name + " " + digest(statement.text);
    if (statement.unknown && event.prepared)
        return fmt::format("{} {}", name, statement.unknown);
    return name;
}

}  // namespace

const char *Statement::kind() const
{
    switch (event.kind) {
    case 'P':
        return "parse";
    case 'B':
        return "bind";
    case 'S':
        return "sync";
    case STATEMENT_PREPARE:
        return "prepare";
    case 'E':
    case STATEMENT_EXECUTE:
    case STATEMENT_BULK_EXECUTE:
        return "execute";
    default:
        return "query";
    }
}

std::string Statement::status(bool reports_errors) const
{
    if (event.is_open)
        return "open";
    if (!event.error)
        return reports_errors ? "ok" : "-";
    if (!is_postgres())
        return fmt::format("{}", event.error);
    return sqlstate().empty() ? "failed" : std::string(sqlstate());
}

std::string_view Statement::sqlstate() const
{
    return {event.sqlstate, strnlen(event.sqlstate, event.error ? sizeof(event.sqlstate) : 0)};
}

std::string_view Statement::database() const
{
    return name_of(event.session.database);
}

std::string_view Statement::user() const
{
    return name_of(event.session.user);
}

std::string Statement::shown() const
{
    std::string result = event.statement_id && !has_text
                             ? fmt::format("#{} ", int32_t(event.statement_id))
                             : sql_line(text, dialect());
    if (unknown)
        result += fmt::format("[{}]", unknown);
    else if (!has_text && !result.empty())
        result.pop_back();
    if (is_cut)
        result += length ? fmt::format("... [{} bytes]", length) : "...";
    else if (size_t statements = count(); statements > 1)
        result += fmt::format(" [{} statements]", statements);
    if (event.is_open)
        result += " [had not ended]";
    return result;
}

size_t Statement::count() const
{
    return has_text ? statement_count(text, dialect()) : 1;
}

const std::string &Statement::digest() const
{
    if (known_digest.empty())
        known_digest = digest_of(*this);
    return known_digest;
}

const std::string &Statement::summary() const
{
    if (known_summary.empty())
        known_summary = query_summary(digest());
    return known_summary;
}

std::string Statement::tag(const std::optional<std::string> &name) const
{
    return name && has_text ? sql_tag(text, *name, dialect()).value_or("") : "";
}

bool is_wanted(const statement_event &event, const statement_config &config)
{
    if (event.took_ns < config.min_ns)
        return false;
    bool is_postgres = event.kind >= 'A' && event.kind <= 'Z';
    uint32_t command = event.kind & 255;
    return is_postgres || config.commands[command >> 6] >> (command & 63) & 1;
}

std::optional<Statement> StatementTexts::read(Bytes record)
{
    auto event = record.read<statement_event>(0);
    auto kept = event ? record.slice(sizeof(*event), event->kept) : std::nullopt;
    if (!kept)
        return std::nullopt;
    Statement statement = {.event = *event, .length = event->length};
    find_text(statement, kept->text());
    learn(statement);
    return statement;
}

void StatementTexts::find_text(Statement &statement, std::string_view kept)
{
    const statement_event &event = statement.event;
    switch (event.kind) {
    case STATEMENT_EXECUTE:
    case STATEMENT_BULK_EXECUTE:
        return find_prepared(statement);
    case STATEMENT_QUERY:
    case STATEMENT_PREPARE:
    case STATEMENT_INIT_DB:
        if (event.unreadable == STATEMENT_UNSEEN_TEXT) {
            statement.unknown = "its text cannot be traced in this server";
            return;
        }
        break;
    default:
        if (!statement.is_postgres())
            return;
        if (event.unreadable == STATEMENT_UNSEEN_TEXT) {
            statement.unknown = without_text(statement.sqlstate());
            return;
        }
    }
    if (event.unreadable) {
        statement.unknown = "the text cannot be read";
        return;
    }
    statement.has_text = true;
    statement.is_cut = event.is_cut;
    statement.text = event.is_cut ? without_part_of_character(kept) : kept;
    hide_secrets(statement);
}

void StatementTexts::hide_secrets(Statement &statement)
{
    auto masked = secrets_ ? std::nullopt : without_secrets(statement.text);
    if (!masked)
        return;
    masked_ = std::move(*masked);
    statement.text = masked_;
    statement.is_masked = true;
}

void StatementTexts::find_prepared(Statement &statement)
{
    const statement_event &event = statement.event;
    const StatementText *known = prepared_.find({event.tgid, event.connection}, event.prepared);
    if (!known) {
        statement.unknown =
            event.error == no_such_statement ? "no such prepared statement"
            : !event.prepared                ? "prepared statements cannot be traced in this server"
            : prepared_.has_forgotten()      ? "prepared before tracing began, or forgotten"
                                             : "prepared before tracing began";
        return;
    }
    statement.has_text = true;
    statement.text = known->text;
    statement.length = known->length;
    statement.is_cut = known->is_cut;
    statement.is_masked = known->is_masked;
}

// Remembers the text of a prepared statement; forgets a connection's texts when it quits.
void StatementTexts::learn(const Statement &statement)
{
    const statement_event &event = statement.event;
    PreparedTexts::Connection connection = {event.tgid, event.connection};
    if (event.kind == STATEMENT_QUIT)
        prepared_.end(connection);
    else if (event.kind == STATEMENT_PREPARE && !event.is_open && event.prepared &&
             statement.has_text)
        prepared_.prepare(connection, event.prepared,
                          {std::string(statement.text), uint32_t(event.length), statement.is_cut,
                           statement.is_masked});
}

}  // namespace uscope::db
