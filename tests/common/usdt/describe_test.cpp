#include "usdt/describe.h"

#include <gtest/gtest.h>

namespace uscope::usdt {
namespace {

std::string place(std::string_view text)
{
    OperandContext context;
    context.machine = abi::Machine::X86_64;
    context.vaddr = 0x1000;
    context.find_object = [](std::string_view) { return 0x3000; };
    auto operands = parse_operands(text, context);
    return operands.size() == 1 ? describe_location(operands[0], abi::Machine::X86_64) : "";
}

std::string size(std::string_view text)
{
    OperandContext context;
    context.machine = abi::Machine::X86_64;
    return describe_size(parse_operands(text, context).at(0));
}

TEST(DescribeOperand, NamesRegistersAsPtRegsDoes)
{
    EXPECT_EQ(place("8@%rdi"), "di");
    EXPECT_EQ(place("-4@%esi"), "si");
    EXPECT_EQ(place("4@%r8d"), "r8");
}

TEST(DescribeOperand, ShowsMemoryAsADereference)
{
    EXPECT_EQ(place("8@(%rbx)"), "*(bx)");
    EXPECT_EQ(place("-4@-16(%rbp)"), "*(bp - 16)");
    EXPECT_EQ(place("8@8(%rax,%rdx,4)"), "*(ax + 8 + dx * 4)");
    EXPECT_EQ(place("4@NBuffers(%rip)"), "*(&NBuffers)");
    EXPECT_EQ(place("4@40+Stats(%rip)"), "*(&Stats + 40)");
    EXPECT_EQ(place("8@table+16(,%rdx,8)"), "*(&table + 16 + dx * 8)");
    EXPECT_EQ(place("8@-8(,%rdx,8)"), "*(-8 + dx * 8)");
    EXPECT_EQ(place("8@(,%rdx,8)"), "*(dx * 8)");
}

TEST(DescribeOperand, ShowsConstantsBySign)
{
    EXPECT_EQ(place("-4@$-1"), "-1");
    EXPECT_EQ(place("4@$-1"), "4294967295");
}

TEST(DescribeOperand, SaysWhyOneCannotBeRead)
{
    EXPECT_EQ(place("8f@%xmm0").substr(0, 3), "? (");
}

TEST(DescribeOperand, AlignsSizes)
{
    EXPECT_EQ(size("-4@%esi"), "4 signed   bytes");
    EXPECT_EQ(size("8@%rdi"), "8 unsigned bytes");
    EXPECT_EQ(size("8f@%xmm0"), "8 float    bytes");
    EXPECT_EQ(size("-16@%rax"), "16 signed   bytes");
}

}  // namespace
}  // namespace uscope::usdt
