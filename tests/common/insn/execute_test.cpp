#include "insn/execute.h"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bpf/shared/execute.h"

using namespace uscope;

namespace {

using Code = std::vector<uint8_t>;

constexpr const char *names[] = {"?",   "nothing", "ret", "set", "load", "jump", "jump by",
                                 "add", "sub",     "cmp", "and", "test", "or",   "xor"};

std::string name_of_register(uint64_t number)
{
    if (number == EXECUTE_NEXT)
        return "next";
    return number == EXECUTE_NO_REGISTER ? "" : "r" + std::to_string(number);
}

// Returns how a BPF program can execute the instruction, as "form to, from+value" (rN: a register
// by its number); "" if the kernel must single-step it.
std::string execution(const Code &code, bool may_return = true)
{
    auto found = insn::execution(Bytes(code.data(), code.size()), may_return);
    if (!found)
        return "";
    EXPECT_EQ(*found & EXECUTE_OFFSET_MASK, 0u);
    EXPECT_EQ(*found >> EXECUTE_LENGTH_SHIFT & EXECUTE_LENGTH_MASK, code.size());
    uint64_t form = *found >> EXECUTE_FORM_SHIFT & EXECUTE_FORM_MASK;
    std::string text = names[form];
    if (form >= EXECUTE_SET)
        text += (*found & EXECUTE_WIDE ? "64 r" : "32 r") +
                std::to_string(*found >> EXECUTE_TO_SHIFT & EXECUTE_TO_MASK) + ", " +
                name_of_register(*found >> EXECUTE_FROM_SHIFT & EXECUTE_FROM_MASK);
    auto value = int32_t(*found >> EXECUTE_VALUE_SHIFT);
    return value ? text + (value < 0 ? "" : "+") + std::to_string(value) : text;
}

TEST(Execution, EndBranchesDoNothing)
{
    EXPECT_EQ(execution({0xf3, 0x0f, 0x1e, 0xfa}), "nothing");
    EXPECT_EQ(execution({0xf3, 0x0f, 0x1e, 0xfa}, false), "nothing");
    EXPECT_EQ(execution({0xf3, 0x0f, 0x1e, 0xc8}), "");  // rdsspq
}

TEST(Execution, ReturnsRemoveTheAddressAndArguments)
{
    EXPECT_EQ(execution({0xc3}), "ret");
    EXPECT_EQ(execution({0xf3, 0xc3}), "ret");           // rep ret
    EXPECT_EQ(execution({0xf2, 0xc3}), "ret");           // bnd ret
    EXPECT_EQ(execution({0xc2, 0x10, 0x00}), "ret+16");  // ret $16
    EXPECT_EQ(execution({0xc2, 0xff, 0xff}), "ret+65535");
    EXPECT_EQ(execution({0xf2, 0xc2, 0x08, 0x01}), "ret+264");
}

TEST(Execution, ReturnsOnlyWhereTheStackPointerMayMove)
{
    EXPECT_EQ(execution({0xc3}, false), "");
    EXPECT_EQ(execution({0xc2, 0x10, 0x00}, false), "");
}

TEST(Execution, MovesAndAddresses)
{
    EXPECT_EQ(execution({0x48, 0x89, 0xf8}), "set64 r0, r7");                     // mov %rdi,%rax
    EXPECT_EQ(execution({0x89, 0xf8}), "set32 r0, r7");                           // mov %edi,%eax
    EXPECT_EQ(execution({0x8b, 0xc7}), "set32 r0, r7");                           // the same
    EXPECT_EQ(execution({0x49, 0x89, 0xe2}), "set64 r10, r4");                    // mov %rsp,%r10
    EXPECT_EQ(execution({0x4c, 0x8b, 0xd4}), "set64 r10, r4");                    // the same
    EXPECT_EQ(execution({0xb8, 1, 0, 0, 0}), "set32 r0, +1");                     // mov $1,%eax
    EXPECT_EQ(execution({0x41, 0xba, 0xff, 0xff, 0xff, 0xff}), "set32 r10, -1");  // mov $-1,%r10d
    EXPECT_EQ(execution({0x48, 0xc7, 0xc0, 0xfe, 0xff, 0xff, 0xff}), "set64 r0, -2");
    EXPECT_EQ(execution({0x48, 0x8d, 0x05, 4, 3, 0, 0}), "set64 r0, next+772");  // lea 772(%rip)
    EXPECT_EQ(execution({0x48, 0x8d, 0x47, 0xf8}), "set64 r0, r7-8");            // lea -8(%rdi)
    EXPECT_EQ(execution({0x48, 0x8d, 0x44, 0x24, 0x10}), "set64 r0, r4+16");     // lea 16(%rsp)
    EXPECT_EQ(execution({0x49, 0x8d, 0x04, 0x24}), "set64 r0, r12");             // lea (%r12)
    EXPECT_EQ(execution({0x8d, 0x87, 0, 1, 0, 0}), "set32 r0, r7+256");  // lea 256(%rdi),%eax
}

TEST(Execution, Jumps)
{
    EXPECT_EQ(execution({0xff, 0xe0}), "jump64 r0, r0");                       // jmp *%rax
    EXPECT_EQ(execution({0x41, 0xff, 0xe3}), "jump64 r0, r11");                // jmp *%r11
    EXPECT_EQ(execution({0xf2, 0xff, 0xe0}), "jump64 r0, r0");                 // bnd jmp *%rax
    EXPECT_EQ(execution({0xff, 0x60, 0x10}), "jump by64 r0, r0+16");           // jmp *16(%rax)
    EXPECT_EQ(execution({0xff, 0x25, 0, 1, 0, 0}), "jump by64 r0, next+256");  // jmp *256(%rip)
    EXPECT_EQ(execution({0xf2, 0xff, 0x25, 0, 1, 0, 0}), "jump by64 r0, next+256");
    EXPECT_EQ(execution({0xff, 0x24, 0xc5, 0, 0, 0, 0}), "");  // jmp *0(,%rax,8)
    EXPECT_EQ(execution({0x3e, 0xff, 0xe0}), "");              // notrack jmp *%rax
    EXPECT_EQ(execution({0x64, 0xff, 0x20}), "");              // jmp *%fs:(%rax)
    EXPECT_EQ(execution({0x66, 0xff, 0xe0}), "");              // 16 bits
    EXPECT_EQ(execution({0xff, 0x28}), "");                    // far
    EXPECT_EQ(execution({0xff, 0xd0}), "");                    // call *%rax
}

TEST(Execution, Loads)
{
    EXPECT_EQ(execution({0x48, 0x8b, 0x07}), "load64 r0, r7");                    // mov (%rdi),%rax
    EXPECT_EQ(execution({0x8b, 0x47, 0x10}), "load32 r0, r7+16");                 // mov 16(%rdi)
    EXPECT_EQ(execution({0x48, 0x8b, 0x05, 0, 1, 0, 0}), "load64 r0, next+256");  // mov …(%rip)
    EXPECT_EQ(execution({0x4d, 0x8b, 0x55, 0x00}), "load64 r10, r13");            // mov (%r13),%r10
}

TEST(Execution, Arithmetic)
{
    EXPECT_EQ(execution({0x31, 0xc0}), "xor32 r0, r0");
    EXPECT_EQ(execution({0x33, 0xc1}), "xor32 r0, r1");
    EXPECT_EQ(execution({0x48, 0x85, 0xff}), "test64 r7, r7");
    EXPECT_EQ(execution({0x39, 0xf7}), "cmp32 r7, r6");        // cmp %esi,%edi
    EXPECT_EQ(execution({0x3b, 0xf7}), "cmp32 r6, r7");        // cmp %edi,%esi
    EXPECT_EQ(execution({0x83, 0xff, 0x05}), "cmp32 r7, +5");  // cmp $5,%edi
    EXPECT_EQ(execution({0x48, 0x83, 0xff, 0xff}), "cmp64 r7, -1");
    EXPECT_EQ(execution({0x48, 0x81, 0xff, 0, 1, 0, 0}), "cmp64 r7, +256");
    EXPECT_EQ(execution({0x48, 0x29, 0xf8}), "sub64 r0, r7");
    EXPECT_EQ(execution({0x48, 0x01, 0xf8}), "add64 r0, r7");
    EXPECT_EQ(execution({0x21, 0xf8}), "and32 r0, r7");
    EXPECT_EQ(execution({0x09, 0xf8}), "or32 r0, r7");
    EXPECT_EQ(execution({0xf7, 0xc7, 1, 0, 0, 0}), "test32 r7, +1");
}

// A BPF program must not write registers that other tracers read at the same probe, or the stack
// pointer, with which the kernel then sets up return probes.
TEST(Execution, NoRegisterOfArgumentsAndNoStackPointerIsWritten)
{
    EXPECT_EQ(execution({0x48, 0x83, 0xec, 0x08}), "");                       // sub $8,%rsp
    EXPECT_EQ(execution({0x48, 0x89, 0xe5}), "");                             // mov %rsp,%rbp
    EXPECT_EQ(execution({0x31, 0xff}), "");                                   // xor %edi,%edi
    EXPECT_EQ(execution({0x48, 0x8b, 0x7f, 0x08}), "");                       // mov 8(%rdi),%rdi
    EXPECT_EQ(execution({0xbe, 1, 0, 0, 0}), "");                             // mov $1,%esi
    EXPECT_EQ(execution({0x41, 0xb9, 1, 0, 0, 0}), "");                       // mov $1,%r9d
    EXPECT_EQ(execution({0x4c, 0x8d, 0x54, 0x24, 0x08}), "set64 r10, r4+8");  // lea 8(%rsp),%r10
}

TEST(Execution, OthersAreLeftToTheKernel)
{
    EXPECT_EQ(execution({0x66, 0xc3}), "");  // pops 16 bits
    EXPECT_EQ(execution({0xcb}), "");        // far
    EXPECT_EQ(execution({0xca, 0x10, 0x00}), "");
    EXPECT_EQ(execution({0xcf}), "");  // iret
    EXPECT_EQ(execution({0x55}), "");  // push %rbp: emulated
    EXPECT_EQ(execution({0xe9, 0, 0, 0, 0}), "");
    EXPECT_EQ(execution({0x0f, 0x05}), "");                          // syscall
    EXPECT_EQ(execution({0xc2, 0x10}), "");                          // runs past the end
    EXPECT_EQ(execution({0xc5, 0xf8, 0xc3}), "");                    // VEX
    EXPECT_EQ(execution({0x66, 0x89, 0xf8}), "");                    // mov %di,%ax
    EXPECT_EQ(execution({0x88, 0xf8}), "");                          // mov %bh,%al
    EXPECT_EQ(execution({0x64, 0x48, 0x8b, 0x00}), "");              // mov %fs:(%rax),%rax
    EXPECT_EQ(execution({0x65, 0x31, 0xc0}), "");                    // gs xor %eax,%eax
    EXPECT_EQ(execution({0x67, 0x8d, 0x07}), "");                    // lea (%edi),%eax
    EXPECT_EQ(execution({0xf3, 0x31, 0xc0}), "");                    // rep
    EXPECT_EQ(execution({0x64, 0xb8, 1, 0, 0, 0}), "");              // fs mov $1,%eax
    EXPECT_EQ(execution({0x66, 0xb8, 1, 0}), "");                    // mov $1,%ax
    EXPECT_EQ(execution({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}), "");  // movabs
    EXPECT_EQ(execution({0x48, 0x8d, 0x04, 0x3e}), "");              // lea (%rsi,%rdi)
    EXPECT_EQ(execution({0x4a, 0x8d, 0x04, 0x20}), "");              // lea (%rax,%r12)
    EXPECT_EQ(execution({0x8b, 0x04, 0x25, 0, 0, 0, 0}), "");        // mov 0x0,%eax
    EXPECT_EQ(execution({0x11, 0xc8}), "");                          // adc %ecx,%eax
    EXPECT_EQ(execution({0x83, 0xd8, 0x01}), "");                    // sbb $1,%eax
    EXPECT_EQ(execution({0x01, 0x07}), "");                          // add %eax,(%rdi)
    EXPECT_EQ(execution({0x83, 0x3f, 0x01}), "");                    // cmpl $1,(%rdi)
    EXPECT_EQ(execution({0x89, 0x07}), "");                          // mov %eax,(%rdi)
    EXPECT_EQ(execution({0xf7, 0xd8}), "");                          // neg %eax
    EXPECT_EQ(execution({0x8f, 0xc0}), "");                          // pop %rax
}

#if defined(__x86_64__)
#define PROCESSOR(instruction, type)                                        \
    [](uint64_t a, uint64_t b) {                                            \
        type value = type(a), other = type(b);                              \
        uint64_t flags;                                                     \
        /* What is below the stack pointer is the function's. */            \
        asm volatile("lea -128(%%rsp), %%rsp\n\t" instruction               \
                     " %2, %0\n\tpushfq\n\tpop %1\n\tlea 128(%%rsp), %%rsp" \
                     : "+r"(value), "=&r"(flags)                            \
                     : "r"(other)                                           \
                     : "cc", "memory");                                     \
        return std::pair<uint64_t, uint64_t>(value, flags & EXECUTE_FLAGS); \
    }

struct Operation {
    uint32_t form;
    const char *name;
    std::pair<uint64_t, uint64_t> (*wide)(uint64_t, uint64_t), (*narrow)(uint64_t, uint64_t);
};

const Operation operations[] = {
    {EXECUTE_ADD, "add", PROCESSOR("addq", uint64_t), PROCESSOR("addl", uint32_t)},
    {EXECUTE_SUB, "sub", PROCESSOR("subq", uint64_t), PROCESSOR("subl", uint32_t)},
    {EXECUTE_CMP, "cmp", PROCESSOR("cmpq", uint64_t), PROCESSOR("cmpl", uint32_t)},
    {EXECUTE_AND, "and", PROCESSOR("andq", uint64_t), PROCESSOR("andl", uint32_t)},
    {EXECUTE_TEST, "test", PROCESSOR("testq", uint64_t), PROCESSOR("testl", uint32_t)},
    {EXECUTE_OR, "or", PROCESSOR("orq", uint64_t), PROCESSOR("orl", uint32_t)},
    {EXECUTE_XOR, "xor", PROCESSOR("xorq", uint64_t), PROCESSOR("xorl", uint32_t)},
};

void expect_as_processor(const Operation &operation, bool is_wide, uint64_t a, uint64_t b)
{
    bool is_compare = operation.form == EXECUTE_CMP || operation.form == EXECUTE_TEST;
    __u64 flags;
    uint64_t value = execute_arithmetic(operation.form, is_wide, a, b, &flags);
    auto [their_value, their_flags] = (is_wide ? operation.wide : operation.narrow)(a, b);
    EXPECT_EQ(flags, their_flags) << operation.name << " " << is_wide << " " << a << " " << b;
    if (!is_compare) {
        EXPECT_EQ(value, their_value) << operation.name << " " << a << " " << b;
    }
}

TEST(Execution, ComputesAsTheProcessorDoes)
{
    std::vector<uint64_t> edges;
    for (uint64_t edge : {0ULL, 1ULL << 31, 1ULL << 32, 1ULL << 63, 0x10ULL, 0x80ULL, 0x100ULL}) {
        for (uint64_t near : {0, 1, 2, -1, -2})
            edges.push_back(edge + near);
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 200; i++)
        edges.push_back(random() >> random() % 64);
    for (const Operation &operation : operations) {
        for (uint64_t a : edges) {
            for (uint64_t b : edges) {
                expect_as_processor(operation, true, a, b);
                expect_as_processor(operation, false, a, b);
            }
        }
    }
}
#endif

}  // namespace
