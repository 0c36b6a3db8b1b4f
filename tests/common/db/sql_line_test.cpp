#include "db/sql_line.h"

#include <gtest/gtest.h>

using uscope::db::Dialect;
using uscope::db::sql_line;

namespace {

TEST(SqlLine, ABackslashStays)
{
    EXPECT_EQ(sql_line("select 'O\\'Brien', '\\\\'", Dialect::Mysql), "select 'O\\'Brien', '\\\\'");
}

TEST(SqlLine, OfSeveralLinesIsOne)
{
    const char *text =
        "select 'it\\'s',\n\t  2 -- two's\nfrom t # more\r\n/* a\nb */ where a = 'x\ny'\n";
    EXPECT_EQ(sql_line(text, Dialect::Mysql),
              "select 'it\\'s', 2 /* two's */ from t /* more  */ /* a b */ where a = 'x\\ny' ");
    EXPECT_EQ(sql_line("select 1 -- a */ b\n, 2 -- c", Dialect::Mysql), "select 1  , 2 -- c");
}

TEST(SqlLine, PostgresqlHasOtherStrings)
{
    EXPECT_EQ(sql_line("select 'a\\\nb',\n'c\\'", Dialect::Postgres), "select E'a\\\\\\nb', 'c\\'");
}

TEST(SqlLine, DollarQuotesBecomeAnEscapeString)
{
    EXPECT_EQ(sql_line("do $$ begin\n perform 'a\\b'; end $$", Dialect::Postgres),
              "do E' begin\\n perform ''a\\\\b''; end '");
    EXPECT_EQ(sql_line("select $x$a\n$$'$x$, $$b$$", Dialect::Postgres),
              "select E'a\\n$$''', $$b$$");
    EXPECT_EQ(sql_line("do $$ begin\n perf", Dialect::Postgres), "do E' begin\\n perf");
}

TEST(SqlLine, IsSafeForATerminal)
{
    EXPECT_EQ(sql_line(std::string_view("select '\0\x1b[2J\xff'", 15), Dialect::Mysql),
              "select '\\x00\\x1b[2J\\xff'");
}

}  // namespace
