#include "insn/returned_value.h"

#include <vector>

#include <gtest/gtest.h>

using namespace uscope;
using namespace uscope::insn;

namespace {

using Code = std::vector<uint8_t>;
using From = ReturnedValue::From;

// What the function returns if these instructions and then `ret` follow.
ReturnedValue returned(const std::vector<Code> &instructions)
{
    ReturnedValueState state;
    for (const Code &code : instructions) {
        Bytes bytes(code.data(), code.size());
        auto parts = take_apart(bytes);
        EXPECT_TRUE(parts && parts->length == code.size());
        if (parts)
            state.execute(*parts, bytes);
    }
    return state.value();
}

uint16_t written(const Code &code)
{
    return written_registers(*take_apart(Bytes(code.data(), code.size())));
}

bool writes_memory(const Code &code)
{
    Bytes bytes(code.data(), code.size());
    return may_write_memory(*take_apart(bytes), bytes);
}

const Code pop_rbx = {0x5b}, add_rsp = {0x48, 0x83, 0xc4, 0x08};

TEST(ReturnedValue, IsTheRegisterIfNothingWritesIt)
{
    ReturnedValue value = returned({add_rsp, pop_rbx});
    EXPECT_EQ(value, ReturnedValue());
    EXPECT_EQ(value.bits, 64);
}

TEST(ReturnedValue, IsACopyOfARegister)
{
    // mov %rbx,%rax; mov %ebp,%eax; mov %r12,%rax (by 8b)
    EXPECT_EQ(returned({{0x48, 0x89, 0xd8}, pop_rbx}), (ReturnedValue{.reg = 3}));
    EXPECT_EQ(returned({{0x89, 0xe8}}), (ReturnedValue{.reg = 5, .bits = 32, .is_narrow = true}));
    EXPECT_EQ(returned({{0x49, 0x8b, 0xc4}}), (ReturnedValue{.reg = 12}));
    // movzbl %bl,%eax; movslq %ebx,%rax; mov %ebx,%eax; cltq
    EXPECT_EQ(returned({{0x0f, 0xb6, 0xc3}}), (ReturnedValue{.reg = 3, .bits = 8}));
    EXPECT_EQ(returned({{0x48, 0x63, 0xc3}}),
              (ReturnedValue{.reg = 3, .bits = 32, .is_signed = true}));
    EXPECT_EQ(returned({{0x89, 0xd8}, {0x48, 0x98}}),
              (ReturnedValue{.reg = 3, .bits = 32, .is_signed = true}));
    // movsbl %bl,%eax: sign-extended to 32 bits only
    EXPECT_EQ(returned({{0x0f, 0xbe, 0xc3}}),
              (ReturnedValue{.reg = 3, .bits = 8, .is_signed = true, .is_narrow = true}));
}

TEST(ReturnedValue, IsUnknownIfTheRegisterHasChanged)
{
    EXPECT_FALSE(returned({pop_rbx, {0x48, 0x89, 0xd8}}).is_known());
    // movzbl %bh,%eax (no number for %bh); movzwl %ax,%eax after movzbl
    EXPECT_FALSE(returned({{0x0f, 0xb6, 0xc7}}).is_known());
    EXPECT_FALSE(returned({{0x0f, 0xb6, 0xc3}, {0x0f, 0xb7, 0xc0}}).is_known());
}

TEST(ReturnedValue, IsAConstant)
{
    // xor %eax,%eax; mov $7,%eax; mov $-1,%eax; mov $-1,%rax; or $-1,%eax; or $-1,%rax
    auto constant = [](int64_t number) {
        return ReturnedValue{.from = From::Constant, .constant = number};
    };
    EXPECT_EQ(returned({{0x31, 0xc0}}), constant(0));
    EXPECT_EQ(returned({{0xb8, 7, 0, 0, 0}}), constant(7));
    EXPECT_EQ(returned({{0xb8, 0xff, 0xff, 0xff, 0xff}}), constant(0xffffffff));
    EXPECT_EQ(returned({{0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff}}), constant(-1));
    EXPECT_EQ(returned({{0x83, 0xc8, 0xff}}), constant(0xffffffff));
    EXPECT_EQ(returned({{0x48, 0x83, 0xc8, 0xff}}), constant(-1));
}

TEST(ReturnedValue, IsUnknownIfItIsComputedOrLoaded)
{
    // sete %al; add $1,%eax; mov 8(%rsp),%rax; lea 1(%rax),%eax; mov $1,%al; pop %rax
    for (const Code &code : std::vector<Code>{{0x0f, 0x94, 0xc0},
                                              {0x83, 0xc0, 0x01},
                                              {0x48, 0x8b, 0x44, 0x24, 0x08},
                                              {0x8d, 0x40, 0x01},
                                              {0xb0, 0x01},
                                              {0x58}})
        EXPECT_FALSE(returned({code}).is_known());
}

TEST(WrittenRegisters, AreThoseOfTheDestination)
{
    EXPECT_EQ(written({0x48, 0x39, 0xd8}), 0);                   // cmp %rbx,%rax
    EXPECT_EQ(written({0x48, 0x85, 0xc0}), 0);                   // test %rax,%rax
    EXPECT_EQ(written({0x4c, 0x89, 0xe0}), 1);                   // mov %r12,%rax
    EXPECT_EQ(written({0x49, 0x89, 0xc4}), 1 << 12);             // mov %rax,%r12
    EXPECT_EQ(written({0x89, 0x03}), 0);                         // mov %eax,(%rbx)
    EXPECT_EQ(written({0x41, 0x5c}), 1 << 12 | 1 << 4);          // pop %r12
    EXPECT_EQ(written({0xc9}), 1 << 4 | 1 << 5);                 // leave
    EXPECT_EQ(written({0xb4, 0x01}), 1);                         // mov $1,%ah
    EXPECT_EQ(written({0x0f, 0x94, 0xc2}), 1 << 2);              // sete %dl
    EXPECT_EQ(written({0x66, 0x0f, 0xef, 0xe4}), 0);             // pxor %xmm4,%xmm4
    EXPECT_EQ(written({0xc5, 0xf8, 0x77}), 0);                   // vzeroupper
    EXPECT_EQ(written({0xc4, 0xe2, 0x60, 0xf2, 0xc0}), 0xffff);  // andn %eax,%ebx,%eax
    EXPECT_EQ(written({0x0f, 0xa2}), 0xffff);                    // cpuid
    EXPECT_EQ(written({0xf3, 0xa4}), 0xffff);                    // rep movsb
}

TEST(WritesMemory, UnlessItIsTheStackOrOnlyReads)
{
    EXPECT_TRUE(writes_memory({0x89, 0x03}));               // mov %eax,(%rbx)
    EXPECT_TRUE(writes_memory({0x89, 0x45, 0xfc}));         // mov %eax,-4(%rbp)
    EXPECT_FALSE(writes_memory({0x89, 0x44, 0x24, 0x08}));  // mov %eax,8(%rsp)
    EXPECT_TRUE(writes_memory({0x89, 0x44, 0x1c, 0x08}));   // mov %eax,8(%rsp,%rbx)
    EXPECT_FALSE(writes_memory({0x8b, 0x03}));              // mov (%rbx),%eax
    EXPECT_FALSE(writes_memory({0x83, 0x3b, 0x00}));        // cmpl $0,(%rbx)
    EXPECT_TRUE(writes_memory({0x83, 0x03, 0x01}));         // addl $1,(%rbx)
    EXPECT_TRUE(writes_memory({0xf0, 0x0f, 0xb1, 0x0b}));   // lock cmpxchg %ecx,(%rbx)
    EXPECT_TRUE(writes_memory({0xf3, 0xa4}));               // rep movsb
    EXPECT_TRUE(writes_memory({0x0f, 0x11, 0x03}));         // movups %xmm0,(%rbx)
    EXPECT_FALSE(writes_memory({0x0f, 0x10, 0x03}));        // movups (%rbx),%xmm0
    EXPECT_TRUE(writes_memory({0xc5, 0xfa, 0x7f, 0x03}));   // vmovdqu %xmm0,(%rbx)
    EXPECT_TRUE(writes_memory({0x66, 0x0f, 0xf7, 0xc1}));   // maskmovdqu %xmm1,%xmm0
    EXPECT_FALSE(writes_memory({0x5b}));                    // pop %rbx
    EXPECT_FALSE(writes_memory({0x48, 0x89, 0xd8}));        // mov %rbx,%rax
}

}  // namespace
