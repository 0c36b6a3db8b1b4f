#include "servers/probes.h"
#include "base/format.h"

#include <gtest/gtest.h>

namespace uscope::servers {
namespace {

using spec::ProbeKind;

// Returns a line for each probe: "r file:function+offset -> C function".
std::vector<std::string> listed(const std::vector<probe::ProbeRequest> &probes)
{
    std::vector<std::string> lines;
    for (const probe::ProbeRequest &probe : probes) {
        EXPECT_EQ(probe.event_output.kind, expr::OutputKind::Key);
        const spec::Probe &spec = probe.spec;
        std::string where =
            spec.kind == ProbeKind::Usdt
                ? fmt::format("u {}:{}:{}", spec.library.text, spec.category.text, spec.event.text)
                : fmt::format("{} {}:{}", spec.kind == ProbeKind::Return ? 'r' : 'p',
                              spec.library.text, spec.function.text);
        if (spec.offset)
            where += fmt::format("+{}", spec.offset);
        lines.push_back(where + " -> " + probe.event_output.function);
    }
    return lines;
}

using Lines = std::vector<std::string>;

TEST(PostgresStatements, BeginOnlyWhenTheirEndIsSeen)
{
    auto probes = postgres_statements("postgres", {});
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ(listed(*probes), (Lines{"p postgres:pq_getbyte -> statement_next",
                                      "p postgres:pgstat_report_activity -> statement_activity",
                                      "p postgres:InitPostgres -> statement_login",
                                      "r postgres:pq_getbyte -> statement_message"}));
    EXPECT_TRUE((*probes)[2].predicate);  // a process without a database serves no client
}

TEST(PostgresStatements, FailWhereTheServerSaysSo)
{
    db::PostgresServer server;
    server.failure = {.offset = 9, .errors = {-100, 200, 24}};
    server.exit = {.offset = 0, .errors = {1, 2, 3}};
    auto probes = postgres_statements("postgres", server);
    ASSERT_TRUE(probes) << probes.error().text;
    Lines lines = listed(*probes);
    EXPECT_EQ(lines.size(), 6u);
    EXPECT_EQ(lines[1], "p postgres:AbortCurrentTransaction+9 -> statement_failed");
    EXPECT_EQ(lines[2], "p postgres:errfinish -> statement_exit");
    // Its value is a struct statement_errors.
    const probe::ProbeRequest &failed = (*probes)[1];
    ASSERT_EQ(failed.values.size() * sizeof(uint64_t), sizeof(statement_errors));
    EXPECT_EQ(failed.values[0].node->text, "-");
    EXPECT_EQ(failed.values[0].node->children[0]->number, 100u);
    EXPECT_EQ(failed.values[1].node->number, 200u);
    EXPECT_EQ(failed.values[2].node->number, 24u);
}

db::MysqlServer mysql_server()
{
    db::MysqlServer server;
    server.dispatch.symbol = "dispatch";
    server.dispatch.thd = 2;
    server.prepare = {"prepare"};
    server.execute = {"execute", "execute_bulk"};
    server.errors = {{"error_first", 2}, {"error_second", 3}};
    server.nested = "sp_execute";
    server.nested_text = "alloc_query";
    return server;
}

TEST(MysqlStatements, AreCommandsAloneWhenNoTextsAreWanted)
{
    auto probes = mysql_statements("mysqld", mysql_server(), {});
    ASSERT_TRUE(probes) << probes.error().text;
    const char *end =
        mysql_server().dispatch.is_com_data() ? "statement_com_data" : "statement_packet";
    EXPECT_EQ(listed(*probes), Lines{std::string("r mysqld:dispatch -> ") + end});
    // The connection is saved at the entry, because another thread may end the call.
    const probe::ProbeRequest &dispatch = probes->front();
    EXPECT_TRUE(dispatch.event_output.checks_at_entry);
    ASSERT_TRUE(dispatch.measured);
    EXPECT_EQ(dispatch.measured->text, "$entry");
    EXPECT_EQ(dispatch.measured->children[0]->text, "arg2");
}

TEST(MysqlStatements, HaveTheirCommandsLast)
{
    StatementFeatures features;
    features.texts = features.nested = true;
    auto probes = mysql_statements("mysqld", mysql_server(), features);
    ASSERT_TRUE(probes) << probes.error().text;
    Lines lines = listed(*probes);
    EXPECT_TRUE(lines.back().starts_with("r mysqld:dispatch -> "));
    lines.pop_back();
    EXPECT_EQ(lines, (Lines{"p mysqld:prepare -> statement_prepared",
                            "p mysqld:execute -> statement_prepared",
                            "p mysqld:execute_bulk -> statement_prepared",
                            "p mysqld:error_first -> statement_error2",
                            "p mysqld:error_second -> statement_error3",
                            "r mysqld:sp_execute -> statement_nested",
                            "p mysqld:alloc_query -> statement_nested_text"}));
}

TEST(MysqlConstants, SayWhatIsKnown)
{
    statement_server nothing = mysql_constants({});
    EXPECT_EQ(nothing.connection_bytes, 0u);
    EXPECT_EQ(nothing.reports_errors, 0u);
    EXPECT_EQ(nothing.security, 0u);
    EXPECT_EQ(nothing.database, 0u);

    db::MysqlServer server = mysql_server();
    server.connection = {0x3f18, 8};
    server.user = {0x25f8, 8};
    server.database = 0xa0;
    statement_server constants = mysql_constants(server);
    EXPECT_EQ(constants.connection, 0x3f18u);
    EXPECT_EQ(constants.connection_bytes, 8u);
    EXPECT_EQ(constants.security, 0x25f8u);
    EXPECT_EQ(constants.user, 8u);
    EXPECT_EQ(constants.database, 0xa0u);
    EXPECT_EQ(constants.reports_errors, 1u);
}

TEST(UsdtStatements, EndBeforeTheyBegin)
{
    auto probes = usdt_statements("postgres", "postgresql");
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ(listed(*probes), (Lines{"u postgres:postgresql:query__done -> statement_end",
                                      "u postgres:postgresql:query__start -> statement_begin"}));
    EXPECT_FALSE((*probes)[0].measured);
    EXPECT_EQ((*probes)[1].measured->text, "arg1");
}

}  // namespace
}  // namespace uscope::servers
