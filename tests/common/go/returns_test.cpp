#include "go/returns.h"
#include "base/format.h"

#include <gtest/gtest.h>

namespace uscope::go {
namespace {

using namespace std::string_view_literals;

std::string returns_of(std::string_view code)
{
    auto offsets = return_offsets(Bytes(code));
    return offsets ? join(*offsets, " ") : offsets.error().text;
}

TEST(GoReturns, AreEachReturnInstruction)
{
    EXPECT_EQ(returns_of("\xc3"sv), "0");
    EXPECT_EQ(returns_of("\x75\x02\x5d\xc3\x31\xc0\x5d\xc2\x08\x00"sv), "3 7");
}

TEST(GoReturns, AreNoBytesInsideOfInstructions)
{
    EXPECT_EQ(returns_of("\xb8\xc3\xc3\xc3\xc3\xc3"sv), "5");
}

TEST(GoReturns, AreKnownOnlyWhenAllCodeIsUnderstood)
{
    EXPECT_EQ(returns_of("\xc3\x06\xc3"sv), "has an instruction at +0x1 that is not understood");
    EXPECT_EQ(returns_of("\xc3\x48\x89"sv), "has an instruction at +0x1 that is not understood");
    EXPECT_EQ(returns_of("\x0f\x0b"sv), "has no return instruction");
    EXPECT_EQ(returns_of(""sv), "has no return instruction");
}

TEST(GoReturns, MayBeThoseOfAnotherFunctionThatIsJumpedTo)
{
    for (auto code : {"\xc3\xeb\xfc"sv, "\xc3\xeb\x00"sv, "\xc3\x74\x01"sv, "\xc3\xe3\x7f"sv,
                      "\xc3\xe9\x00\x00\x00\x00"sv, "\xc3\x0f\x84\x01\x00\x00\x00"sv})
        EXPECT_EQ(returns_of(code), "leaves by a jump to another function (+0x1)");
    EXPECT_EQ(returns_of("\xc3\xff\xe0"sv), "leaves by an indirect jump (+0x1)");
    EXPECT_EQ(returns_of("\xc3\xff\x24\x25\0\0\0\0"sv), "leaves by an indirect jump (+0x1)");
}

TEST(GoReturns, AreKnownWhenJumpsStayInside)
{
    EXPECT_EQ(returns_of("\xeb\x00\xc3\xeb\xfb\xe9\xf6\xff\xff\xff"sv), "2");
    EXPECT_EQ(returns_of("\x0f\x84\x00\x00\x00\x00\xc3"sv), "6");
    EXPECT_EQ(returns_of("\xff\x24\xc1\xc3"sv), "3") << "a jump table";
    EXPECT_EQ(returns_of("\x41\xff\x64\xc5\x00\xc3"sv), "5") << "a jump table, by r13";
    EXPECT_EQ(returns_of("\xe8\x00\x10\x00\x00\xc3"sv), "5") << "a call";
}

TEST(GoReturns, AreRefusedWhereTheKernelWould)
{
    EXPECT_EQ(returns_of("\x2e\xc3"sv),
              "has a return instruction that the kernel refuses to probe (+0x0)");
}

}  // namespace
}  // namespace uscope::go
