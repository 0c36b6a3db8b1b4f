#include "db/mysql_statements.h"

#include <gtest/gtest.h>

#include "db/mysql.h"

using namespace uscope;
using namespace uscope::db;

namespace {

using Text = MysqlStatement::Text;

std::string record(unsigned command, std::string_view text, uint64_t prepared = 0,
                   uint32_t statement_id = 0)
{
    mysqlqueries_event event = {};
    event.tgid = 1;
    event.thd = 0x1000;
    event.command = command;
    event.statement = prepared;
    event.statement_id = statement_id;
    event.length = event.kept = text.size();
    return std::string(reinterpret_cast<const char *>(&event), sizeof(event)) + std::string(text);
}

TEST(MysqlStatements, HaveTheirTexts)
{
    MysqlStatements statements;
    std::string bytes = record(mysql_query, std::string_view("select '\0'", 10));
    auto statement = statements.read(Bytes(bytes)).value();
    EXPECT_EQ(statement.kind, Text::Known);
    EXPECT_EQ(statement.shown(), "select '\\x00'");
    EXPECT_EQ(statement.digest(), "select ?");
}

TEST(MysqlStatements, AnExecutionHasTheTextOfItsPreparation)
{
    MysqlStatements statements;
    std::string prepare = record(mysql_stmt_prepare, "select ?", 0x10);
    std::string execute = record(mysql_stmt_execute, "", 0x10, 3);
    EXPECT_EQ(statements.read(Bytes(execute))->shown(), "#3 (prepared before tracing began)");
    EXPECT_EQ(statements.read(Bytes(prepare))->digest(), "(Prepare) select ?");
    auto statement = statements.read(Bytes(execute)).value();
    EXPECT_EQ(statement.shown(), "select ?");
    EXPECT_EQ(statement.digest(), "select ?");
    std::string quit = record(mysql_quit, "");
    EXPECT_EQ(statements.read(Bytes(quit))->shown(), "");
    EXPECT_EQ(statements.read(Bytes(execute))->kind, Text::Before);
}

TEST(MysqlStatements, SayHowLongACutTextIs)
{
    MysqlStatements statements;
    std::string bytes = record(mysql_query, "select");
    reinterpret_cast<mysqlqueries_event *>(bytes.data())->length = 100;
    auto statement = statements.read(Bytes(bytes)).value();
    EXPECT_TRUE(statement.is_truncated());
    EXPECT_EQ(statement.shown(), "select... (100 bytes)");
}

TEST(MysqlStatements, AnUnreadableTextIsNotEmpty)
{
    MysqlStatements statements;
    std::string bytes = record(mysql_query, "");
    reinterpret_cast<mysqlqueries_event *>(bytes.data())->unreadable = -EFAULT;
    EXPECT_EQ(statements.read(Bytes(bytes))->shown(), "<unreadable: Bad address>");
}

TEST(MysqlStatements, AShortRecordIsNone)
{
    MysqlStatements statements;
    std::string bytes = record(mysql_query, "select 1");
    bytes.pop_back();
    EXPECT_FALSE(statements.read(Bytes(bytes)));
    EXPECT_FALSE(statements.read(Bytes()));
}

}  // namespace
