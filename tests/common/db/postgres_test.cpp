#include "db/postgres.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

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
    // endbr64; movslq 0x35ca3d(%rip),%rax; test; js; imul $0xb8; lea 0x38081f(%rip),%rdx; mov
    // 0x30(…)
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

TEST(ErrorCode, MayStandBehindTheCodeForNoError)
{
    // GCC 7: movslq 0x543253(%rip),%rax; test; jns; 6 bytes; imul $0xb8; lea 0x564939(%rip),%rdx;
    // mov 0x30(…); ret
    const uint8_t code[] = {0x48, 0x63, 0x05, 0x53, 0x32, 0x54, 0x00, 0x85, 0xc0, 0x79, 0x06, 0x48,
                            0x83, 0xec, 0x08, 0x31, 0xf6, 0x48, 0x69, 0xc0, 0xb8, 0,    0,    0,
                            0x48, 0x8d, 0x15, 0x39, 0x49, 0x56, 0x00, 0x8b, 0x44, 0x02, 0x30, 0xc3};
    auto errors = parse_error_code(uscope::Bytes(code, sizeof(code)));
    ASSERT_TRUE(errors);
    EXPECT_EQ(errors->depth, 0x543253 + 7);
    EXPECT_EQ(errors->codes, 0x564939 + 31 + 0x30);
    EXPECT_EQ(errors->stride, 0xb8u);
    for (size_t bytes = 0; bytes < sizeof(code); bytes++)
        EXPECT_FALSE(parse_error_code(uscope::Bytes(code, bytes))) << bytes;
}

TEST(ErrorCode, MayTakeOtherRegisters)
{
    // clang: movslq 0x10(%rip),%rax; test; js; imul $0xb8; lea 0x20(%rip),%rcx; mov
    // 0x30(%rax,%rcx,1),%eax; ret
    const uint8_t code[] = {0x48, 0x63, 0x05, 0x10, 0,    0,    0,    0x85, 0xc0, 0x78,
                            0x13, 0x48, 0x69, 0xc0, 0xb8, 0,    0,    0,    0x48, 0x8d,
                            0x0d, 0x20, 0,    0,    0,    0x8b, 0x44, 0x08, 0x30, 0xc3};
    auto errors = parse_error_code(uscope::Bytes(code, sizeof(code)));
    ASSERT_TRUE(errors);
    EXPECT_EQ(errors->depth, 0x10 + 7);
    EXPECT_EQ(errors->codes, 0x20 + 25 + 0x30);
    uint8_t other[sizeof(code)];
    std::copy(std::begin(code), std::end(code), other);
    other[27] = 0x10;  // not the register with the table's address
    EXPECT_FALSE(parse_error_code(uscope::Bytes(other, sizeof(other))));
}

namespace {

// PostgresMain() of PostgreSQL 15: call pq_getbyte; mov %eax,%ebx; cmp $-1,%eax; je …; ret
std::optional<PostgresMessage> message_loop(std::vector<uint8_t> before_branch,
                                            std::vector<uint8_t> behind = {0xc3})
{
    std::vector<uint8_t> code = {0x90, 0xe8, 0xfa, 0x0f, 0, 0};  // calls 0x1000
    code.insert(code.end(), before_branch.begin(), before_branch.end());
    code.insert(code.end(), {0x0f, 0x84, 0x10, 0, 0, 0});
    code.insert(code.end(), behind.begin(), behind.end());
    return parse_message_loop(uscope::Bytes(code.data(), code.size()), 0x1000);
}
const std::vector<uint8_t> compare = {0x89, 0xc3, 0x83, 0xf8, 0xff};

}  // namespace

TEST(MessageLoop, HasABranchBehindTheCall)
{
    auto message = message_loop(compare);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->offset, 11u);
    EXPECT_EQ(message->after_call, 5u);
}

TEST(MessageLoop, IsOfNoUseIfTheResultIsOverwritten)
{
    EXPECT_FALSE(message_loop({0x83, 0xe8, 0x42}));                 // sub $0x42,%eax
    EXPECT_FALSE(message_loop({0xe8, 0, 0, 0, 0}));                 // another call
    EXPECT_FALSE(message_loop({0xff, 0xe0}));                       // jmp *%rax
    EXPECT_FALSE(message_loop({0xc3}));                             // ret
    EXPECT_FALSE(message_loop(compare, {0xe8, 0xea, 0x0f, 0, 0}));  // pq_getbyte is called twice
}

TEST(MessageLoop, IsOfNoUseIfOtherCodeJumpsThere)
{
    EXPECT_FALSE(message_loop(compare, {0xeb, 0xf8}));  // to the branch
    EXPECT_FALSE(message_loop(compare, {0xeb, 0xf3}));  // to the instruction after the call
    EXPECT_TRUE(message_loop(compare, {0xeb, 0xee}));   // to the call itself
}
