#include "db/statement_texts.h"

#include <cstring>

#include "base/format.h"
#include "db/letters.h"
#include "db/mysql.h"

namespace uscope::db {
namespace {

std::string_view name_of(const char (&name)[STATEMENT_NAME])
{
    return {name, strnlen(name, sizeof(name))};
}

// Why a message of PostgreSQL failed before the server knew what it was about.
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

std::string Statement::status(bool tells_errors) const
{
    bool is_postgres = event.kind >= 'A' && event.kind <= 'Z';
    if (!event.error)
        return tells_errors ? "ok" : "-";
    if (!is_postgres)
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

std::optional<Statement> StatementTexts::read(Bytes record, uint32_t text_bytes)
{
    auto event = record.read<statement_event>(0);
    if (!event)
        return std::nullopt;
    Statement statement = {.event = *event, .length = event->length};
    if (event->text_bytes == STATEMENT_NO_TEXT) {
        statement.unknown = without_text(statement.sqlstate());
    } else if (event->text_bytes < 0) {
        statement.unknown = "the text cannot be read";
    } else {
        uint32_t kept = std::min<uint32_t>(event->text_bytes, text_bytes);
        statement.is_cut = uint32_t(event->text_bytes) > text_bytes;
        statement.text = record.from(sizeof(statement_event)).text().substr(0, kept);
        if (statement.is_cut)
            statement.text = without_part_of_character(statement.text);
    }
    if (!is_shown(statement))
        return std::nullopt;
    if (event->kind == STATEMENT_EXECUTE || event->kind == STATEMENT_BULK_EXECUTE)
        find_text(statement);
    return statement;
}

// Learns what it tells of others.
bool StatementTexts::is_shown(const Statement &statement)
{
    const statement_event &event = statement.event;
    PreparedTexts::Connection connection = {event.tgid, event.connection};
    if (event.kind == STATEMENT_QUIT) {
        prepared_.end(connection);
        return false;
    }
    if (event.kind != STATEMENT_PREPARE)
        return true;
    if (event.statement && !statement.unknown)
        prepared_.prepare(connection, event.statement,
                          {std::string(statement.text), uint32_t(event.length)});
    return event.error != 0;
}

void StatementTexts::find_text(Statement &statement) const
{
    const statement_event &event = statement.event;
    const StatementText *known = prepared_.find({event.tgid, event.connection}, event.statement);
    if (!known) {
        statement.unknown = event.error == no_such_statement ? "no such prepared statement"
                            : event.statement                ? "prepared before tracing began"
                                              : "the server does not tell its prepared statements";
        return;
    }
    statement.text = known->text;
    statement.length = known->length;
    statement.is_cut = known->length > known->text.size();
}

}  // namespace uscope::db
