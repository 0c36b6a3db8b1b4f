#include "abi/operand.h"

#include <gtest/gtest.h>

using namespace uscope::abi;

namespace {

Operand in_register(const char *name, uint8_t size)
{
    return {.kind = Operand::Kind::Register,
            .size = size,
            .base = *find_register(Machine::X86_64, name)};
}

Operand in_memory(const char *base, int64_t displacement)
{
    return {.kind = Operand::Kind::Memory,
            .value = displacement,
            .base = *find_register(Machine::X86_64, base)};
}

TEST(Operand, RegistersAreTheSameWhateverPartIsNamed)
{
    EXPECT_EQ(in_register("eax", 4), in_register("rax", 4));
    EXPECT_NE(in_register("eax", 4), in_register("eax", 8));
    EXPECT_NE(in_register("al", 1), in_register("ah", 1));
    EXPECT_NE(in_register("rax", 8), in_register("rbx", 8));
}

TEST(Operand, SignednessAndFloatMatter)
{
    Operand plain = in_register("rax", 8), other = plain;
    other.is_signed = true;
    EXPECT_NE(plain, other);
    other = plain;
    other.is_float = true;
    EXPECT_NE(plain, other);
}

TEST(Operand, MemoryComparesTheWholeAddress)
{
    EXPECT_EQ(in_memory("rsp", 16), in_memory("rsp", 16));
    EXPECT_NE(in_memory("rsp", 16), in_memory("rsp", 24));
    EXPECT_NE(in_memory("rsp", 16), in_memory("rbp", 16));

    Operand indexed = in_memory("rsp", 16);
    indexed.has_index = true;
    indexed.index = *find_register(Machine::X86_64, "rax");
    EXPECT_NE(indexed, in_memory("rsp", 16));
    Operand other_index = indexed;
    other_index.index = *find_register(Machine::X86_64, "rcx");
    EXPECT_NE(indexed, other_index);
    Operand scaled = indexed;
    scaled.scale = 8;
    EXPECT_NE(indexed, scaled);
}

TEST(Operand, MemoryNeedsNoBase)
{
    Operand a = in_memory("rsp", 16), b = in_memory("rbp", 16);
    a.has_base = false;
    EXPECT_NE(a, in_memory("rsp", 16));
    b.has_base = false;
    EXPECT_EQ(a, b);
}

TEST(Operand, WhatAKindDoesNotUseDoesNotMatter)
{
    Operand a{.kind = Operand::Kind::Constant, .value = 5}, b = a;
    b.base = *find_register(Machine::X86_64, "rbx");
    b.scale = 4;
    EXPECT_EQ(a, b);
    b.value = 6;
    EXPECT_NE(a, b);

    Operand one{.why = "one reason"}, same{.size = 4, .why = "one reason"},
        another{.why = "another"};
    EXPECT_EQ(one, same);
    EXPECT_NE(one, another);
    EXPECT_NE(one, a);
}

}  // namespace
