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

TEST(ErrorCode, TellsWhereErrorsAre)
{
    // endbr64; movslq 0x35ca3d(%rip),%rax; test; js; imul $0xb8; lea 0x38081f(%rip),%rdx; mov 0x30(…)
    const uint8_t code[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x63, 0x05, 0x3d, 0xca, 0x35,
                            0x00, 0x85, 0xc0, 0x0f, 0x88, 1,    2,    3,    4,    0x48,
                            0x69, 0xc0, 0xb8, 0,    0,    0,    0x48, 0x8d, 0x15, 0x1f,
                            0x08, 0x38, 0x00, 0x8b, 0x44, 0x02, 0x30, 0xc3};
    auto errors = parse_error_code(uscope::Bytes(code, sizeof(code)));
    ASSERT_TRUE(errors);
    EXPECT_EQ(errors->depth, 0x35ca3d + 11);
    EXPECT_EQ(errors->codes, 0x38081f + 33 + 0x30);
    EXPECT_EQ(errors->stride, 0xb8u);
    for (size_t bytes = 0; bytes < sizeof(code); bytes++)
        EXPECT_FALSE(parse_error_code(uscope::Bytes(code, bytes))) << bytes;
}
