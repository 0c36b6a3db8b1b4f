#include "db/redis.h"

#include <gtest/gtest.h>

#include <string>

using namespace uscope;

namespace {

uint64_t offset_of(const std::string &code)
{
    return db::cheap_offset(Bytes(code));
}

// mov 0x1601d9(%rip),%rax;  test %rax,%rax;  js +1
const std::string load("\x48\x8b\x05\xd9\x01\x16\x00", 7), test("\x48\x85\xc0"), js("\x78\x01"),
    nop("\x90"), ret("\xc3"), endbr64("\xf3\x0f\x1e\xfa");

}  // namespace

TEST(CheapOffset, IsTheFirstEmulatedInstruction)
{
    EXPECT_EQ(offset_of(load + test + js + nop + ret), 10u);
    EXPECT_EQ(offset_of(endbr64 + load + test + js + nop + ret), 14u);
    EXPECT_EQ(offset_of("\x55" + ret), 0u);
}

TEST(CheapOffset, IsNotBehindAChangedArgument)
{
    std::string other("\x48\x8b\x3d\xd9\x01\x16\x00", 7);  // mov 0x1601d9(%rip),%rdi
    EXPECT_EQ(offset_of(other + test + js + nop + ret), 0u);
    EXPECT_EQ(offset_of("\x48\x89\xc7" + test + js + nop + ret), 0u);  // mov %rax,%rdi
}

TEST(CheapOffset, IsNotBehindAChangedStack)
{
    EXPECT_EQ(offset_of("\x48\x83\xec\x08" + test + js + nop + ret), 0u);  // sub $8,%rsp
}

TEST(CheapOffset, IsNotWhereAJumpLeadsTo)
{
    EXPECT_EQ(offset_of(load + test + js + nop + "\xeb\xf3" + ret),
              0u);  // jmp back into the beginning
}

TEST(CheapOffset, IsTheStartOfWhatCannotBeDecoded)
{
    EXPECT_EQ(offset_of(load + test), 0u);
    EXPECT_EQ(offset_of(""), 0u);
}

namespace {

// mov 0x50(%rdi),%rax;  mov 0x8(%rax),%rsi;  jmp …
const std::string echo("\x48\x8b\x47\x50\x48\x8b\x70\x08\xe9\x00\x00\x00\x00", 13);
// mov 0x48(%rdi),%eax;  cmp $0x2,%eax
const std::string ping("\x8b\x47\x48\x83\xf8\x02");
// push %rbp;  mov %rsp,%rbp;  push %r12;  push %rbx
const std::string frame("\x55\x48\x89\xe5\x41\x54\x53");

}  // namespace

TEST(EchoCode, TellsWhereTheArgumentsAre)
{
    EXPECT_EQ(db::parse_echo_code(Bytes(echo)), 0x50u);
    EXPECT_EQ(db::parse_echo_code(Bytes(endbr64 + "\x55\x48\x89\xe5" + echo)), 0x50u);
    std::string far("\x48\x8b\x87\x10\x01\x00\x00\x48\x8b\x70\x08", 11);
    EXPECT_EQ(db::parse_echo_code(Bytes(far)), 0x110u);
}

TEST(EchoCode, IsNoOtherCode)
{
    std::string of_argv2("\x48\x8b\x47\x50\x48\x8b\x70\x10"), of_rsi("\x48\x8b\x46\x50");
    for (const std::string &code : {of_argv2, of_rsi, echo.substr(0, 6), ping, std::string()})
        EXPECT_FALSE(db::parse_echo_code(Bytes(code)));
}

TEST(PingCode, TellsWhereTheNumberOfArgumentsIs)
{
    EXPECT_EQ(db::parse_ping_code(Bytes(ping)), 0x48u);
    EXPECT_EQ(db::parse_ping_code(Bytes(endbr64 + frame + ping)), 0x48u);
    EXPECT_EQ(db::parse_ping_code(Bytes(std::string("\x83\x7f\x28\x02"))), 0x28u);
    EXPECT_EQ(db::parse_ping_code(Bytes(std::string("\x8b\x47\x28\x48\x89\xfb\x83\xf8\x02"))),
              0x28u);
}

TEST(PingCode, IsNoOtherCode)
{
    std::string of_7("\x8b\x47\x48\x83\xf8\x07"), add("\x83\x47\x28\x02");
    for (const std::string &code : {of_7, add, ping.substr(0, 5), echo, std::string()})
        EXPECT_FALSE(db::parse_ping_code(Bytes(code)));
}

namespace {

// xor %r8d,%r8d; call …;  mov $1,%r8d; call …;  mov $2,%r8d; jmp …: all to offset 0x100 from the
// start
const std::string log_code(
    "\x45\x31\xc0\xe8\xf8\x00\x00\x00"
    "\x41\xb8\x01\x00\x00\x00\xe8\xed\x00\x00\x00"
    "\x41\xb8\x02\x00\x00\x00\xe9\xe2\x00\x00\x00",
    30);

}  // namespace

TEST(CommandLogCode, TellsWhereSlowCommandsPass)
{
    EXPECT_EQ(db::parse_command_log_code(Bytes(log_code)), 3u);
    EXPECT_EQ(db::parse_command_log_code(Bytes(nop + log_code)), 4u);
}

TEST(CommandLogCode, IsNoOtherCode)
{
    std::string two_types = log_code, two_places = log_code;
    two_types[10] = 2;
    two_places[15]++;
    for (const std::string &code :
         {two_types, two_places, log_code.substr(0, 25), ping, std::string()})
        EXPECT_FALSE(db::parse_command_log_code(Bytes(code)));
}

TEST(ObjectValueCode, LooksAtTheMark)
{
    EXPECT_TRUE(
        db::is_object_value_code(Bytes(endbr64 + std::string("\x0f\xb6\x57\x04\xf6\xc2\x04"))));
    EXPECT_TRUE(db::is_object_value_code(Bytes(std::string("\xf6\x47\x04\x04"))));
    EXPECT_FALSE(db::is_object_value_code(Bytes(std::string("\xf6\x47\x04\x02"))));
    EXPECT_FALSE(db::is_object_value_code(Bytes(std::string("\x48\x8b\x47\x08\xc3"))));
}
