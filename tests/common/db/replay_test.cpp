// Replays records of real servers through the code that the tools use, and compares the result with
// the servers' logs.
#include <map>

#include <gtest/gtest.h>

#include "base/format.h"
#include "db/mysql.h"
#include "db/redis_command.h"
#include "db/statement_texts.h"
#include "support/recording.h"

namespace uscope::db {
namespace {

using tests::Recording;

// Returns a line for each statement that dbslower and mysqlqueries show.
template <class Line>
std::string lines_of_statements(const Recording &recording, const Line &line_of)
{
    statement_config everything = {};
    for (__u64 &commands : everything.commands)
        commands = ~0ull;
    std::string lines;
    StatementTexts texts;
    for (const Recorded &entry : recording.entries()) {
        if (entry.what != "statement_event")  // a record of another map
            continue;
        auto statement = texts.read(entry.data);
        if (!statement || entry.data.size() != sizeof(statement_event) + statement->event.kept) {
            ADD_FAILURE() << tests::other_layout;
            break;
        }
        EXPECT_LE(statement->event.start_ns + statement->event.took_ns, statement->event.ts_ns);
        if (is_wanted(statement->event, everything))
            lines += line_of(*statement) + "\n";
    }
    return lines;
}

TEST(Replay, StatementsOfPostgresAreThoseOfItsLog)
{
    Recording recording("postgres");
    EXPECT_EQ(lines_of_statements(recording,
                                  [](const Statement &statement) {
                                      return fmt::format("{} {} {} {} {}", statement.event.tgid,
                                                         statement.database(), statement.user(),
                                                         statement.status(true), statement.text);
                                  }),
              recording.rows())
        << tests::other_layout;
}

TEST(Replay, StatementsOfMariadbAreThoseOfItsPerformanceSchema)
{
    Recording recording("mariadb");
    EXPECT_EQ(lines_of_statements(recording,
                                  [](const Statement &statement) {
                                      return fmt::format("{} {} {}",
                                                         mysql_command_name(statement.event.kind),
                                                         statement.event.error, statement.text);
                                  }),
              recording.rows())
        << tests::other_layout;
}

TEST(Replay, CommandsOfRedisAreThoseOfItsSlowLog)
{
    Recording recording("redis");
    std::string lines;
    std::map<std::string, unsigned> failed;
    RedisCommand command;
    for (const Recorded &entry : recording.entries()) {
        if (entry.what != "redis_events")
            continue;
        if (!command.read(entry.data, 128) ||
            entry.data.size() != sizeof(redis_event) + command.event().bytes) {
            ADD_FAILURE() << tests::other_layout;
            break;
        }
        lines += fmt::format("{} {}\n", command.event().took_us, command.json());
        if (!command.error().empty())
            failed[command.name()]++;
    }
    for (const auto &[name, count] : failed)
        lines += fmt::format("failed {} {}\n", name, count);
    EXPECT_EQ(lines, recording.rows()) << tests::other_layout;
}

}  // namespace
}  // namespace uscope::db
