#include "db/query_summary.h"

#include <gtest/gtest.h>

#include "db/digest.h"

namespace uscope::db {
namespace {

std::string summary_of(std::string_view statement)
{
    return query_summary(digest(statement));
}

TEST(QuerySummary, NamesOperationAndTables)
{
    EXPECT_EQ(summary_of("SELECT a FROM t JOIN `u` ON t.x = u.x WHERE b = 1"), "SELECT t u");
    EXPECT_EQ(summary_of("insert into shop.orders (a) values (1)"), "INSERT shop.orders");
    EXPECT_EQ(summary_of("update t set a = 1"), "UPDATE t");
    EXPECT_EQ(summary_of("delete from t"), "DELETE t");
    EXPECT_EQ(summary_of("create table if not exists t (a int)"), "CREATE t");
    EXPECT_EQ(summary_of("select * from (select 1) x"), "SELECT");
    EXPECT_EQ(summary_of("begin"), "BEGIN");
    EXPECT_EQ(summary_of(""), "");
    EXPECT_EQ(query_summary("(Ping)"), "Ping");
    EXPECT_EQ(query_operation("(Prepare) select ?"), "Prepare");
}

TEST(QuerySummary, IsBounded)
{
    std::string statement = "select * from t0";
    for (int i = 1; i < 1000; i++)
        statement += " join table" + std::to_string(i) + " on 1";
    EXPECT_LE(query_summary(statement).size(), 255u);
    EXPECT_LE(query_summary(std::string(1000, 'x')).size(), 255u);
}

}  // namespace
}  // namespace uscope::db
