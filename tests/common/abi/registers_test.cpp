#include "abi/registers.h"

#include <cstddef>

#include <elf.h>
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <asm/ptrace.h>
#endif

using namespace uscope::abi;

namespace {

void expect_register(Machine machine, const char *name, unsigned offset, unsigned size,
                     unsigned shift = 0)
{
    auto found = find_register(machine, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->pt_regs_offset, offset) << name;
    EXPECT_EQ(found->size, size) << name;
    EXPECT_EQ(found->shift, shift) << name;
}

#if defined(__x86_64__)
TEST(Registers, X86OffsetsAreThoseOfPtRegs)
{
    expect_register(Machine::X86_64, "r15", offsetof(pt_regs, r15), 8);
    expect_register(Machine::X86_64, "r14", offsetof(pt_regs, r14), 8);
    expect_register(Machine::X86_64, "r13", offsetof(pt_regs, r13), 8);
    expect_register(Machine::X86_64, "r12", offsetof(pt_regs, r12), 8);
    expect_register(Machine::X86_64, "rbp", offsetof(pt_regs, rbp), 8);
    expect_register(Machine::X86_64, "rbx", offsetof(pt_regs, rbx), 8);
    expect_register(Machine::X86_64, "r11", offsetof(pt_regs, r11), 8);
    expect_register(Machine::X86_64, "r10", offsetof(pt_regs, r10), 8);
    expect_register(Machine::X86_64, "r9", offsetof(pt_regs, r9), 8);
    expect_register(Machine::X86_64, "r8", offsetof(pt_regs, r8), 8);
    expect_register(Machine::X86_64, "rax", offsetof(pt_regs, rax), 8);
    expect_register(Machine::X86_64, "rcx", offsetof(pt_regs, rcx), 8);
    expect_register(Machine::X86_64, "rdx", offsetof(pt_regs, rdx), 8);
    expect_register(Machine::X86_64, "rsi", offsetof(pt_regs, rsi), 8);
    expect_register(Machine::X86_64, "rdi", offsetof(pt_regs, rdi), 8);
    expect_register(Machine::X86_64, "orig_rax", offsetof(pt_regs, orig_rax), 8);
    expect_register(Machine::X86_64, "rip", offsetof(pt_regs, rip), 8);
    expect_register(Machine::X86_64, "cs", offsetof(pt_regs, cs), 8);
    expect_register(Machine::X86_64, "eflags", offsetof(pt_regs, eflags), 8);
    expect_register(Machine::X86_64, "rsp", offsetof(pt_regs, rsp), 8);
    expect_register(Machine::X86_64, "ss", offsetof(pt_regs, ss), 8);
}
#endif

TEST(Registers, X86PartsOfARegister)
{
    expect_register(Machine::X86_64, "%edi", 112, 4);
    expect_register(Machine::X86_64, "%di", 112, 2);
    expect_register(Machine::X86_64, "%dil", 112, 1);
    expect_register(Machine::X86_64, "ah", 80, 1, 8);
    expect_register(Machine::X86_64, "r8d", 72, 4);
    expect_register(Machine::X86_64, "r10w", 56, 2);
    expect_register(Machine::X86_64, "r9b", 64, 1);
}

TEST(Registers, Arm64)
{
    expect_register(Machine::Aarch64, "x0", 0, 8);
    expect_register(Machine::Aarch64, "w1", 8, 4);
    expect_register(Machine::Aarch64, "x30", 240, 8);
    expect_register(Machine::Aarch64, "lr", 240, 8);
    expect_register(Machine::Aarch64, "sp", 248, 8);
    expect_register(Machine::Aarch64, "pc", 256, 8);
}

TEST(Registers, WhatPtRegsDoesNotHoldIsNotFound)
{
    for (const char *name : {"xmm0", "st", "%", "", "rdx1", "x0", "fs", "RDI"})
        EXPECT_FALSE(find_register(Machine::X86_64, name)) << name;
    for (const char *name : {"x31", "x00", "x-1", "x", "d0", "v1", "xzr", "rdi", ""})
        EXPECT_FALSE(find_register(Machine::Aarch64, name)) << name;
}

TEST(Registers, PtRegsFieldsByTheKernelsAndTheUapiNames)
{
    for (const char *name : {"ax", "rax"}) {
        auto field = pt_regs_field(Machine::X86_64, name);
        ASSERT_TRUE(field) << name;
        EXPECT_EQ(field->pt_regs_offset, 80);
        EXPECT_EQ(field->size, 8);  // the register %ax has 2 bytes
    }
    EXPECT_EQ(pt_regs_field(Machine::X86_64, "ip")->pt_regs_offset, 128);
    EXPECT_EQ(pt_regs_field(Machine::X86_64, "orig_ax")->pt_regs_offset, 120);
    EXPECT_EQ(pt_regs_field(Machine::X86_64, "flags")->pt_regs_offset, 144);
    EXPECT_FALSE(pt_regs_field(Machine::X86_64, "eax"));
    EXPECT_FALSE(pt_regs_field(Machine::X86_64, ""));

    EXPECT_EQ(pt_regs_field(Machine::Aarch64, "regs[3]")->pt_regs_offset, 24);
    EXPECT_EQ(pt_regs_field(Machine::Aarch64, "x3")->pt_regs_offset, 24);
    EXPECT_EQ(pt_regs_field(Machine::Aarch64, "pstate")->pt_regs_offset, 264);
    EXPECT_FALSE(pt_regs_field(Machine::Aarch64, "regs[31]"));
    EXPECT_FALSE(pt_regs_field(Machine::Aarch64, "w3"));
}

TEST(Registers, ArgumentsOfX86)
{
    EXPECT_EQ(argument_register(Machine::X86_64, 1)->pt_regs_offset, 112);  // rdi
    EXPECT_EQ(argument_register(Machine::X86_64, 4)->pt_regs_offset, 88);   // rcx
    EXPECT_EQ(argument_register(Machine::X86_64, 6)->pt_regs_offset, 64);   // r9
    EXPECT_FALSE(argument_register(Machine::X86_64, 7));
    EXPECT_FALSE(argument_register(Machine::X86_64, 0));
    EXPECT_EQ(argument_stack_offset(Machine::X86_64, 7), 8);  // above the return address
    EXPECT_EQ(argument_stack_offset(Machine::X86_64, 9), 24);
}

TEST(Registers, ArgumentsOfArm64)
{
    EXPECT_EQ(argument_register(Machine::Aarch64, 8)->pt_regs_offset, 56);  // x7
    EXPECT_FALSE(argument_register(Machine::Aarch64, 9));
    EXPECT_EQ(argument_stack_offset(Machine::Aarch64, 9), 0);
    EXPECT_EQ(argument_stack_offset(Machine::Aarch64, 10), 8);
}

TEST(Registers, SpecialOnes)
{
    EXPECT_EQ(stack_pointer(Machine::X86_64).pt_regs_offset, 152);
    EXPECT_EQ(instruction_pointer(Machine::X86_64).pt_regs_offset, 128);
    EXPECT_EQ(return_value(Machine::X86_64).pt_regs_offset, 80);
    EXPECT_EQ(stack_pointer(Machine::Aarch64).pt_regs_offset, 248);
    EXPECT_EQ(instruction_pointer(Machine::Aarch64).pt_regs_offset, 256);
    EXPECT_EQ(return_value(Machine::Aarch64).pt_regs_offset, 0);
}

TEST(Registers, MachineOfAnElfFile)
{
    EXPECT_EQ(machine_of(EM_X86_64), Machine::X86_64);
    EXPECT_EQ(machine_of(EM_AARCH64), Machine::Aarch64);
    EXPECT_FALSE(machine_of(EM_386));
}

}  // namespace
