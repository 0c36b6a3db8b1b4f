#include "db/digest.h"

#include <gtest/gtest.h>

using uscope::db::Dialect;
using uscope::db::digest;

namespace {

TEST(Digest, LiteralsAreQuestionMarks)
{
    for (const char *value :
         {"5", "-5", "+ 5", "1.5", ".5", "1e-3", "0xff", "x'ff'", "b'01'", "'a'", "'it''s'",
          "'a\\'b'", "\"a\"\"b\"", "_utf8'a'", "N'a'", "'a' 'b'", "date'2024-01-01'", "?"})
        EXPECT_EQ(digest(std::string("select * from t where a = ") + value),
                  "select * from t where a = ?")
            << value;
}

TEST(Digest, AMinusBetweenValuesIsNotASign)
{
    EXPECT_EQ(digest("select a-5, a - -5, (a)-5, 3-5"), "select a - ?, a - ?, (a) - ?, ? - ?");
}

TEST(Digest, NamesKeepTheirDigits)
{
    EXPECT_EQ(digest("SELECT t1.a2, 2b, db.3c FROM t1, `T 5`"),
              "select t1.a2, 2b, db.3c from t1, `T 5`");
    EXPECT_EQ(digest("select `a``5`, @v1, @@global.x, @`q r`"),
              "select `a``5`, @?, @@global.x, @?");
}

TEST(Digest, ListsOfValuesBecomeOneMark)
{
    EXPECT_EQ(digest("select * from t where a in(1,2,3) and b not in ('x')"),
              "select * from t where a in (?+) and b not in (?+)");
    EXPECT_EQ(digest("INSERT INTO `T`(a,b)  VALUES (1,'x'),( 2, NULL ),(-3, default);"),
              "insert into t(a, b) values (?+)");
    EXPECT_EQ(digest("insert into t values (1, now()), (2, 3)"),
              "insert into t values (?, now()), (?, ?)");
    EXPECT_EQ(digest("select f(1, 2)"), "select f(?, ?)");
    EXPECT_EQ(digest("select a in (select 1)"), "select a in (select ?)");
}

TEST(Digest, ListsOfRowsBecomeOneMark)
{
    for (const char *rows : {"(1, 'a')", "(1,'a'),(2, null)", "(1,'a'),(2,'b'),(3,'c')"})
        EXPECT_EQ(digest(std::string("select * from t where (a, b) in (") + rows + ") and c = 1"),
                  "select * from t where (a, b) in (?+) and c = ?")
            << rows;
    EXPECT_EQ(digest("select a in ((1, 2), (select 1, 2))"), "select a in ((?, ?), (select ?, ?))");
    EXPECT_EQ(digest("select a in (((1)))"), "select a in (((?)))");
}

TEST(Digest, NamesOfVariablesAreReplaced)
{
    EXPECT_EQ(digest("set @x = 1"), "set @? = ?");
    EXPECT_EQ(digest("set @`long name`:=2, @y = @x + 1"), "set @? := ?, @? = @? + ?");
    EXPECT_EQ(digest("set @@sql_mode = ''"), "set @@sql_mode = ?");
    EXPECT_EQ(digest("create user 'a'@'h', a@h"), "create user ? @ ?, a@h");
}

TEST(Digest, RedundantQuotesDoNotMatter)
{
    EXPECT_EQ(digest("select `a`, `B2` from `d`.`t`"), digest("select a, B2 from d.t"));
    EXPECT_EQ(digest("select `from`, `a b`, `2a` from t"), "select `from`, `a b`, `2a` from t");
    auto postgres_digest = [](const char *text) { return digest(text, Dialect::Postgres); };
    EXPECT_EQ(postgres_digest("select \"a\" from \"d\".\"t\""),
              postgres_digest("SELECT A FROM D.T"));
    EXPECT_EQ(postgres_digest("select \"A\" from t"), "select \"A\" from t");
}

TEST(Digest, WhiteSpaceAndCaseDoNotMatter)
{
    EXPECT_EQ(digest("  Select\n\tA , b\r\n FROM  t  WHERE a=1;; "),
              digest("select a,b from t where a = 2"));
    EXPECT_EQ(digest("select count( * ) from t"), "select count(*) from t");
    EXPECT_EQ(digest("a<=>b and c!=d or e->>'$.x'"), "a <=> b and c != d or e ->> ?");
}

TEST(Digest, CommentsAreWhiteSpace)
{
    EXPECT_EQ(digest("select /* 1 ' */ a -- it's\n from # more\n t"), "select a from t");
    EXPECT_EQ(digest("select a--1"), "select a - ?");
    EXPECT_EQ(digest("select /*!50000 straight_join */ 1"), "select /*!50000 straight_join */ ?");
}

TEST(Digest, UnterminatedTokensExtendToTheEnd)
{
    EXPECT_EQ(digest("select 'abc"), "select ?");
    EXPECT_EQ(digest("select 'abc\\"), "select ?");
    EXPECT_EQ(digest("select /* abc"), "select");
    EXPECT_EQ(digest("select `ab"), "select `ab`");
    EXPECT_EQ(digest("select `"), "select ``");
    EXPECT_EQ(digest("select ```a``"), "select ```a```");
}

TEST(Digest, AcceptsAnyBytes)
{
    EXPECT_EQ(digest(std::string_view("select '\0\xff', \x01 \xc3\xa9", 17)),
              "select ?, \x01 \xc3\xa9");
    EXPECT_EQ(digest(""), "");
}

TEST(Digest, PostgresqlHasOtherQuotesAndComments)
{
    auto postgres_digest = [](const char *text) { return digest(text, Dialect::Postgres); };
    EXPECT_EQ(
        postgres_digest("SELECT \"A b\" FROM t WHERE a = $1 AND b = $$it's$$ and c = $x$ $$ $x$"),
        "select \"A b\" from t where a = ? and b = ? and c = ?");
    EXPECT_EQ(postgres_digest("select 'a\\', 5 # 3, E'it\\'s', U&'x'"), "select ?, ? # ?, ?, ?");
    EXPECT_EQ(postgres_digest("select 1--1\n/* a /* b */ c */, x::int[], '1'::text"),
              "select ?, x::int[], ?::text");
    EXPECT_EQ(postgres_digest("insert into t values ($1, $2), ($3, 'x')"),
              "insert into t values (?+)");
}

TEST(Digest, IsCut)
{
    EXPECT_EQ(digest("select abcdef", Dialect::Mysql, 10), "select abc");
}

}  // namespace
