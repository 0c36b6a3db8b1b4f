#include "db/postgres.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace uscope::db;

TEST(PostgresTitle, NamesTheSession)
{
    EXPECT_TRUE(is_postgres_title("postgres: alice shop [local] idle", {"shop", "alice"}));
    EXPECT_TRUE(is_postgres_title("postgres: 15/main: alice shop [local] idle", {"shop", "alice"}));
}

TEST(PostgresTitle, HoldsNamesWithBlanks)
{
    EXPECT_TRUE(is_postgres_title("postgres: app one the shop 10.0.0.1(4711) SELECT",
                                  {"the shop", "app one"}));
}

TEST(PostgresTitle, IsNotThatOfAPartOfTheNames)
{
    EXPECT_FALSE(is_postgres_title("postgres: malice shop [local] idle", {"shop", "alice"}));
    EXPECT_FALSE(is_postgres_title("postgres: alice shop2 [local] idle", {"shop", "alice"}));
    EXPECT_FALSE(is_postgres_title("postgres: alice shop [local] idle", {"alice", "shop"}));
}

TEST(PostgresTitle, IsOnlyOfPostgres)
{
    EXPECT_FALSE(is_postgres_title("other: alice shop [local] idle", {"shop", "alice"}));
}

TEST(PostgresSession, IsNotProvenOfAnotherProgram)
{
    EXPECT_FALSE(postgres_session(getpid()));
}
