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
