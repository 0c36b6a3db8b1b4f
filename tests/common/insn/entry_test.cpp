#include "insn/entry.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

using namespace uscope;

namespace {

using Code = std::vector<uint8_t>;

// Returns where a probe can be moved to in the function at `start` of the code; `size`: its bytes,
// 0: all up to the end of the code.
std::optional<insn::Entry> entry(const Code &text, uint64_t start = 0, uint64_t size = 0)
{
    Bytes all(text.data(), text.size());
    size = size ? size : text.size() - start;
    auto entry = insn::entry_after_vectors(*all.slice(start, size));
    if (!entry || insn::Branches(all).lead_after(start, size, entry->offset))
        return std::nullopt;
    return entry;
}

Code joined(std::initializer_list<Code> parts)
{
    Code all;
    for (const Code &part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

const Code broadcast = {0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xce};  // vpbroadcastb %esi,%ymm17
const Code to_rax = {0xc4, 0xe1, 0xf9, 0x7e, 0xc0};           // vmovq %xmm0,%rax
const Code to_rsi = {0xc4, 0xe1, 0xf9, 0x7e, 0xce};           // vmovq %xmm1,%rsi
const Code rest = {0x89, 0xf8, 0xc3};                         // mov %edi,%eax; ret
const Code padding(200, 0x90);

TEST(EntryBehind, WhatWritesVectorRegistersIsPassed)
{
    auto found = entry(joined({broadcast, rest}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 6u);
    EXPECT_TRUE(found->keeps_arguments);
    EXPECT_EQ(entry(joined({padding, broadcast, rest, padding}), 200, 9)->offset, 6u);
}

TEST(EntryBehind, ArgumentsMayBeLost)
{
    EXPECT_TRUE(entry(joined({to_rax, rest}))->keeps_arguments);
    auto found = entry(joined({to_rax, to_rsi, rest}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 10u);
    EXPECT_FALSE(found->keeps_arguments);
}

TEST(EntryBehind, NothingElseIsPassed)
{
    EXPECT_FALSE(entry(joined({{0xf0, 0x83, 0x07, 0x01}, rest})));        // lock addl $1,(%rdi)
    EXPECT_FALSE(entry(joined({{0xc5, 0xf9, 0x7e, 0x07}, rest})));        // vmovd %xmm0,(%rdi)
    EXPECT_FALSE(entry(joined({{0xc5, 0xf9, 0x7e, 0xc4}, rest})));        // … to %esp
    EXPECT_FALSE(entry(joined({{0xc4, 0xc1, 0x79, 0x7e, 0xc0}, rest})));  // … to %r8d
    EXPECT_FALSE(entry(joined({{0xc5, 0xfe, 0x7f, 0x07}, rest})));        // vmovdqu %ymm0,(%rdi)
    EXPECT_FALSE(entry(joined({{0xcc}, rest})));
    EXPECT_FALSE(entry(joined({{0x9c}, rest})));  // pushf
    EXPECT_FALSE(entry(broadcast));               // the function ends
    EXPECT_FALSE(entry(rest));                    // a probe can be at the function's start
    EXPECT_FALSE(entry(joined({broadcast, {0x0f, 0x1f, 0x44, 0, 0}, rest})));
}

TEST(EntryBehind, NotIfABranchLeadsBehindIt)
{
    const Code back = {0x75, 0xfc};  // jne to the mov
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, back, {0xc3}})));
    const Code to_start = {0x75, 0xf6};  // jne to the function's start: enters it again
    EXPECT_TRUE(entry(joined({broadcast, {0x89, 0xf8}, to_start, {0xc3}})));
    const Code far_back = {0x0f, 0x84, 0xf8, 0xff, 0xff, 0xff};
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, far_back, {0xc3}})));
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, {0xff, 0xe0}})));  // jmp *%rax
}

TEST(EntryBehind, NorABranchOfAnotherFunction)
{
    const Code before = {0xeb, 0x06};  // a jmp of the previous function, over the broadcast
    EXPECT_FALSE(entry(joined({padding, before, broadcast, rest}), 202));
    const Code to_start = {0xeb, 0x00};
    EXPECT_TRUE(entry(joined({padding, to_start, broadcast, rest}), 202));
    const Code behind = {0xeb, 0xfb};  // a jmp of the next function, to the mov
    EXPECT_FALSE(entry(joined({broadcast, rest, behind, padding}), 0, 9));
    // A distant call that leads into the function, to the instruction after the broadcast.
    Code text = joined({{0xe8, 0xcf, 0, 0, 0}, padding, {0x90}, broadcast, rest});
    EXPECT_FALSE(entry(text, 206));
    text[1] = 0xc9;  // to the function's start
    EXPECT_TRUE(entry(text, 206));
}

TEST(Branches, AreTheSameWhenAskedOftenerThanOnce)
{
    Code text = joined({{0xe8, 0xcf, 0, 0, 0}, padding, {0x90}, broadcast, rest, padding});
    insn::Branches branches(Bytes(text.data(), text.size()));
    for (int i = 0; i < 3; i++) {
        EXPECT_TRUE(branches.lead_after(206, 9, 6));
        EXPECT_FALSE(branches.lead_after(206, 9, 5));
        EXPECT_TRUE(branches.lead_after(200, 20, 12));
    }
}

TEST(Branches, LeadIntoAFunctionFromOutside)
{
    // A function of 30 bytes at 206, whose last 10 bytes nothing else may enter.
    using Range = insn::Branches::Range;
    constexpr Range own = {206, 236}, part = {226, 236};
    constexpr size_t bytes = 436;
    for (size_t at : {size_t{200}, size_t{236}, size_t{0}}) {  // jumps to 231, by 4 and 1 bytes
        Code with = Code(bytes, 0x90);
        insn::Branches none(Bytes(with.data(), with.size()));
        EXPECT_FALSE(none.lead_from_outside(part, own, 0, own.start));
        int32_t distance = 231 - int32_t(at + 5);
        with[at] = 0xe9;
        memcpy(&with[at + 1], &distance, sizeof(distance));
        insn::Branches near(Bytes(with.data(), with.size()));
        for (int i = 0; i < 3; i++) {
            EXPECT_TRUE(near.lead_from_outside(part, own, 0, own.start)) << at;
            EXPECT_FALSE(near.lead_from_outside({206, 226}, own, 0, own.start)) << at;
        }
        if (at == 0)
            continue;
        with = Code(bytes, 0x90);
        with[at] = 0x75;
        with[at + 1] = uint8_t(231 - int(at + 2));
        insn::Branches by_short(Bytes(with.data(), with.size()));
        EXPECT_TRUE(by_short.lead_from_outside(part, own, 0, own.start)) << at;
        EXPECT_TRUE(by_short.lead_from_outside(part, own, 0, 0)) << at;
    }
    // One of the function's own.
    Code with = Code(bytes, 0x90);
    with[210] = 0x0f;
    with[211] = 0x84;
    with[212] = 231 - 216;
    with[213] = with[214] = with[215] = 0;
    insn::Branches own_branch(Bytes(with.data(), with.size()));
    EXPECT_FALSE(own_branch.lead_from_outside(part, own, 1, own.start));
    EXPECT_TRUE(own_branch.lead_from_outside(part, own, 0, own.start));
}

// Returns the cheap entry of a function that consists of `code` and then `push %rbx`, which the
// kernel emulates.
std::optional<insn::Entry> cheap(const Code &code)
{
    Code text = joined({code, {0x53, 0xc3}});
    auto entry = insn::cheap_entry(Bytes(text.data(), text.size()));
    EXPECT_TRUE(!entry || entry->offset == code.size());
    return entry;
}

TEST(CheapEntry, WhatComputesWithRegistersIsPassed)
{
    for (const Code &code : {Code{0x48, 0x85, 0xff},                    // test %rdi,%rdi
                             Code{0x48, 0x89, 0xf8},                    // mov %rdi,%rax
                             Code{0x49, 0x89, 0xfa},                    // mov %rdi,%r10
                             Code{0x48, 0x8d, 0x04, 0x37},              // lea (%rdi,%rsi),%rax
                             Code{0x31, 0xc0},                          // xor %eax,%eax
                             Code{0x83, 0xfe, 0x07},                    // cmp $7,%esi
                             Code{0xb8, 1, 0, 0, 0},                    // mov $1,%eax
                             Code{0x0f, 0xb6, 0xc7},                    // movzbl %bh,%eax
                             Code{0x48, 0x63, 0xc6},                    // movslq %esi,%rax
                             Code{0xf3, 0x0f, 0x1e, 0xfa, 0x85, 0xf6},  // endbr64; test %esi,%esi
                             Code{0x48, 0xc1, 0xe8, 0x1a}})             // shr $26,%rax
        EXPECT_TRUE(cheap(code) && cheap(code)->keeps_arguments) << int(code[0]) << int(code[1]);
}

TEST(CheapEntry, ArgumentsMayBeLost)
{
    for (const Code &code : {Code{0x89, 0xfe},              // mov %edi,%esi
                             Code{0x48, 0x8d, 0x7f, 0x08},  // lea 8(%rdi),%rdi
                             Code{0x41, 0x89, 0xf0},        // mov %esi,%r8d
                             Code{0x49, 0x89, 0xc9},        // mov %rcx,%r9
                             Code{0xba, 1, 0, 0, 0},        // mov $1,%edx
                             Code{0x31, 0xc9},              // xor %ecx,%ecx
                             Code{0x83, 0xef, 0x01}})       // sub $1,%edi
        EXPECT_TRUE(cheap(code) && !cheap(code)->keeps_arguments) << int(code[0]) << int(code[1]);
}

TEST(CheapEntry, NothingElseIsPassed)
{
    for (const Code &code : {Code{0x48, 0x8b, 0x07},              // mov (%rdi),%rax
                             Code{0x48, 0x89, 0x07},              // mov %rax,(%rdi)
                             Code{0x48, 0x83, 0xec, 0x08},        // sub $8,%rsp
                             Code{0x89, 0xe5},                    // mov %esp,%ebp
                             Code{0x48, 0x8d, 0x64, 0x24, 0x08},  // lea 8(%rsp),%rsp
                             Code{0xff, 0xc0},                    // inc %eax
                             Code{0x85, 0x07},                    // test %eax,(%rdi)
                             Code{0x5b},                          // pop %rbx
                             Code{0x87, 0xd8},                    // xchg %ebx,%eax
                             Code{0xc3},                          // ret
                             Code{0xff, 0xd0},                    // call *%rax
                             Code{0x0f, 0x05},                    // syscall
                             Code{0xe3, 0x00}})                   // jrcxz
        EXPECT_FALSE(cheap(code)) << int(code[0]) << int(code[1]);
    EXPECT_FALSE(cheap({}));  // push %rbx is at the start already
    const Code then_stepped = {0x85, 0xff, 0x8b, 0x07};
    EXPECT_FALSE(insn::cheap_entry(Bytes(then_stepped.data(), then_stepped.size())));
}

// The beginning of jemalloc's free(): it reads memory, and changes the registers of other arguments
// than the first.
TEST(CheapEntry, BehindReadsWhereTheseMayBePassed)
{
    const Code free = {0x48, 0x89, 0xf8,                                      // mov %rdi,%rax
                       0x48, 0x8b, 0x15, 0x0e, 0x53, 0x0a, 0x00,              // mov …(%rip),%rdx
                       0x25, 0xf0, 0x00, 0x00, 0x00,                          // and $0xf0,%eax
                       0x64, 0x48, 0x03, 0x04, 0x25, 0x00, 0x00, 0x00, 0x00,  // add %fs:0,%rax
                       0x48, 0x3b, 0x88, 0xb0, 0x01, 0x00, 0x00,  // cmp 0x1b0(%rax),%rcx
                       0x0f, 0xb6, 0x04, 0x02,                    // movzbl (%rdx,%rax),%eax
                       0x75, 0x02, 0xc3};                         // jne
    Bytes bytes(free.data(), free.size());
    EXPECT_FALSE(insn::cheap_entry(bytes));
    auto entry = insn::cheap_entry(bytes, true);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->offset, free.size() - 3);
    EXPECT_FALSE(entry->keeps_arguments);
    EXPECT_TRUE(entry->keeps_first);
    for (const Code &code : {Code{0x48, 0x8b, 0x3f},              // mov (%rdi),%rdi
                             Code{0x48, 0x89, 0x07},              // mov %rax,(%rdi)
                             Code{0x48, 0x01, 0x07},              // add %rax,(%rdi)
                             Code{0x83, 0x07, 0x01},              // addl $1,(%rdi)
                             Code{0xf7, 0x17},                    // notl (%rdi)
                             Code{0x48, 0x8b, 0x64, 0x24, 0x08},  // mov 8(%rsp),%rsp
                             Code{0x8f, 0x07}}) {                 // pop (%rdi)
        Code text = joined({code, {0x53, 0xc3}});
        auto passed = insn::cheap_entry(Bytes(text.data(), text.size()), true);
        EXPECT_FALSE(passed && passed->keeps_first) << int(code[0]) << int(code[1]);
    }
}

TEST(CheapEntry, IsWhatTheKernelEmulates)
{
    for (const Code &code :
         {Code{0x74, 0x00}, Code{0x0f, 0x84, 0, 0, 0, 0}, Code{0xe8, 0, 0, 0, 0}, Code{0xeb, 0x00},
          Code{0x90}, Code{0x0f, 0x1f, 0x40, 0x00}, Code{0x41, 0x54}}) {
        Code text = joined({{0x85, 0xff}, code});
        auto entry = insn::cheap_entry(Bytes(text.data(), text.size()));
        EXPECT_TRUE(entry && entry->offset == 2) << int(code[0]);
    }
    Code optimised_nop = {0x85, 0xff, 0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3};
    EXPECT_FALSE(insn::cheap_entry(Bytes(optimised_nop.data(), optimised_nop.size())));
}

}  // namespace
