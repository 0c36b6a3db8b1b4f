#include "db/mysql_statements.h"

#include <cstring>

#include "db/digest.h"
#include "db/letters.h"
#include "db/mysql.h"
#include "output/escape.h"

namespace uscope::db {

using Text = MysqlStatement::Text;

std::optional<MysqlStatement> MysqlStatements::read(Bytes record)
{
    auto event = record.read<mysqlqueries_event>(0);
    auto text = event ? record.slice(sizeof(*event), event->kept) : std::nullopt;
    if (!text)
        return std::nullopt;
    MysqlStatement statement = {.event = *event, .length = event->length};
    bool is_cut = event->kept < event->length;
    find_text(statement, is_cut ? without_part_of_character(text->text()) : text->text());
    return statement;
}

void MysqlStatements::find_text(MysqlStatement &statement, std::string_view text)
{
    const mysqlqueries_event &event = statement.event;
    PreparedTexts::Connection connection = {event.tgid, event.thd};
    switch (event.command) {
    case mysql_quit:
        return prepared_.end(connection);
    case mysql_stmt_prepare:
    case mysql_query:
    case mysql_init_db:
        statement.kind = event.unreadable ? Text::Unreadable : Text::Known;
        statement.text = text;
        if (event.depth && !event.length)
            statement.kind = Text::Unknown;
        if (event.statement && !event.unreadable)
            prepared_.prepare(connection, event.statement, {std::string(text), event.length});
        return;
    case mysql_stmt_execute:
    case mysql_stmt_bulk_execute:
        statement.kind = event.statement ? Text::Before : Text::Unknown;
        if (const StatementText *known = prepared_.find(connection, event.statement)) {
            statement.kind = Text::Known;
            statement.text = known->text;
            statement.length = known->length;
        }
        return;
    }
}

std::string MysqlStatement::shown() const
{
    std::string number = event.statement_id ? fmt::format("#{}", int32_t(event.statement_id)) : "";
    switch (kind) {
    case Text::Known: {
        std::string result = output::escaped(text);
        if (is_truncated())
            result += fmt::format("... ({} bytes)", length);
        return result;
    }
    case Text::Unreadable:
        return fmt::format("<unreadable: {}>", strerror(int(-int64_t(event.unreadable))));
    case Text::Before:
        return number + " (prepared before tracing began)";
    default:
        return number;
    }
}

std::string MysqlStatement::digest() const
{
    bool is_plain = event.command == mysql_query || event.command == mysql_stmt_execute ||
                    event.command == mysql_stmt_bulk_execute;
    if (is_plain && kind == Text::Known)
        return db::digest(text);
    std::string name = fmt::format("({})", mysql_command_name(event.command));
    if (event.command == mysql_stmt_prepare && kind == Text::Known)
        return name + " " + db::digest(text);
    if (kind == Text::Before)
        return name + " prepared before tracing began";
    return name;
}

}  // namespace uscope::db
