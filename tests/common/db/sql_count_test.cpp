#include "db/sql_count.h"

#include <gtest/gtest.h>

using uscope::db::Dialect;
using uscope::db::statement_count;

namespace {

size_t count(std::string_view text)
{
    return statement_count(text, Dialect::Mysql);
}

TEST(StatementCount, IsThatOfWhatIsBetweenSemicolons)
{
    EXPECT_EQ(count(""), 1u);
    EXPECT_EQ(count("select 1"), 1u);
    EXPECT_EQ(count("select ';' ; -- a; b\n ;"), 1u);
    EXPECT_EQ(count("select 1; select 2;;select 3 ; "), 3u);
    EXPECT_EQ(count("begin; insert into t values (1); commit"), 3u);
    EXPECT_EQ(statement_count("select $$a;b$$; select '\\'; select 3", Dialect::Postgres), 3u);
}

TEST(StatementCount, ABodyBelongsToItsCreate)
{
    EXPECT_EQ(count("create procedure p() begin select 1; if a then select 2; end if; "
                    "case a when 1 then select 3; end case; end; call p()"),
              2u);
    EXPECT_EQ(count("create procedure p() begin set @a = case 1 when 1 then 2 end; begin end; "
                    "while a do set a = 1; end while; end"),
              1u);
    EXPECT_EQ(count("begin not atomic select 1; select 2; end; select 3"), 2u);
    EXPECT_EQ(count("create table t (a int); drop table t"), 2u);
    EXPECT_EQ(
        statement_count("create function f() returns int begin atomic select 1; select 2; end",
                        Dialect::Postgres),
        1u);
}

}  // namespace
