#include "servers/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace uscope::servers {
namespace {

struct StatementsTest : testing::Test {
    std::string error(std::vector<std::string> words)
    {
        std::vector<char *> arguments;
        for (std::string &word : words)
            arguments.push_back(word.data());
        tool.emplace("dbslower", arguments);
        statements.emplace(1'000'000, true);
        statements->declare(*tool);
        auto parsed = tool->parse();
        auto result = parsed ? statements->check() : Result<>(Failure(parsed.error()));
        return result ? "" : result.error().text;
    }
    std::optional<run::Tool> tool;
    std::optional<Statements> statements;
    const std::string own = std::to_string(getpid());
};

TEST_F(StatementsTest, AreOfOneServer)
{
    EXPECT_EQ(error({"mysql"}), "");
    EXPECT_FALSE(statements->is_postgres());
    EXPECT_EQ(error({"postgres"}), "");
    EXPECT_TRUE(statements->is_postgres());
    EXPECT_EQ(error({"mariadb"}), "");
    EXPECT_FALSE(statements->is_postgres());
    EXPECT_EQ(error({"postgresql"}), "");
    EXPECT_TRUE(statements->is_postgres());
    EXPECT_EQ(error({"-p", own}), "say which server to trace, mysql or postgres: none is running");
    EXPECT_EQ(error({"-x", "/bin/true"}), "say which server the program is, mysql or postgres");
    EXPECT_EQ(error({"mysql", "postgres"}), "name one kind of server, not mysql and postgres");
    EXPECT_EQ(error({"oracle"}), "the server must be mysql or postgres, not \"oracle\"");
}

// In BCC's tool, several words may follow -p.
TEST_F(StatementsTest, TakeProcessesAsBccDoes)
{
    EXPECT_EQ(error({"mysql", "-p", own, own}), "");
    EXPECT_EQ(statements->processes().pids, (std::vector<pid_t>{getpid(), getpid()}));
    EXPECT_EQ(error({"mysql", own}), "the server must be mysql or postgres, not \"" + own + "\"");
}

// PostgreSQL forks a process for each client, so -p with the server's process also traces its
// children.
TEST_F(StatementsTest, FollowWhatAPostgresServerStarts)
{
    EXPECT_EQ(error({"postgres", "-p", own}), "");
    EXPECT_TRUE(statements->processes().follow_forks);
    EXPECT_EQ(error({"postgres"}), "");
    EXPECT_FALSE(statements->processes().follow_forks);
    EXPECT_EQ(error({"mysql", "-p", own}), "");
    EXPECT_FALSE(statements->processes().follow_forks);
}

TEST_F(StatementsTest, TakeALeastTimeInMilliseconds)
{
    EXPECT_EQ(error({"mysql"}), "");
    EXPECT_EQ(statements->config().min_ns, 1'000'000u);
    EXPECT_EQ(error({"mysql", "-m", "0.0005"}), "");
    EXPECT_EQ(statements->config().min_ns, 500u);
    EXPECT_EQ(error({"mysql", "--min", "250us"}), "");
    EXPECT_EQ(statements->config().min_ns, 250'000u);
    EXPECT_EQ(error({"mysql", "--threshold", "2"}), "");
    EXPECT_EQ(statements->config().min_ns, 2'000'000u);
    EXPECT_EQ(error({"mysql", "-m", "0"}), "");
    EXPECT_EQ(statements->config().min_ns, 0u);
    EXPECT_EQ(error({"mysql", "-m", "1e13"}),
              "-m,--min,--threshold: \"1e13\" is not a time (250us, 1.5ms, 2s)");
    EXPECT_NE(error({"mysql", "-m", "-1"}), "");
}

TEST_F(StatementsTest, RefuseWhatTheServerHasNot)
{
    EXPECT_EQ(error({"postgres", "--steps"}), "");
    EXPECT_TRUE(statements->config().steps);
    EXPECT_EQ(error({"mysql", "--steps"}), "--steps is only for PostgreSQL");
}

TEST_F(StatementsTest, WantTheCommandsThatExecute)
{
    EXPECT_EQ(error({"mysql"}), "");
    statement_config config = statements->config();
    auto is_wanted = [&](unsigned command) {
        return (config.commands[command / 64] >> (command % 64) & 1) != 0;
    };
    for (unsigned command = 0; command < 256; command++)
        EXPECT_EQ(is_wanted(command), command == STATEMENT_QUERY || command == STATEMENT_EXECUTE ||
                                          command == STATEMENT_BULK_EXECUTE)
            << command;
}

TEST_F(StatementsTest, TellWhoseTheyAreWhenItIsWanted)
{
    EXPECT_EQ(error({"mysql"}), "");
    EXPECT_FALSE(statements->config().names);
    statements->report({.user = true});
    EXPECT_TRUE(statements->config().names);
}

}  // namespace
}  // namespace uscope::servers
