#include "insn/entry.h"

#include <vector>

#include <gtest/gtest.h>

using namespace uscope;

namespace {

using Code = std::vector<uint8_t>;

// Of a function that starts at `start` of the text and reaches to its end, or for `size` bytes.
std::optional<insn::Entry> entry(const Code &text, uint64_t start = 0, uint64_t size = 0)
{
    return insn::entry_behind(Bytes(text.data(), text.size()), start,
                              size ? size : text.size() - start);
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
    EXPECT_FALSE(entry(rest));                    // a probe can be at its start
    EXPECT_FALSE(entry(joined({broadcast, {0x0f, 0x1f, 0x44, 0, 0}, rest})));
}

TEST(EntryBehind, NotIfABranchLeadsBehindIt)
{
    const Code back = {0x75, 0xfc};  // jne to the mov
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, back, {0xc3}})));
    const Code to_start = {0x75, 0xf6};  // jne to the function's start: it is entered again
    EXPECT_TRUE(entry(joined({broadcast, {0x89, 0xf8}, to_start, {0xc3}})));
    const Code far_back = {0x0f, 0x84, 0xf8, 0xff, 0xff, 0xff};
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, far_back, {0xc3}})));
    EXPECT_FALSE(entry(joined({broadcast, {0x89, 0xf8}, {0xff, 0xe0}})));  // jmp *%rax
}

TEST(EntryBehind, NorABranchOfAnotherFunction)
{
    const Code before = {0xeb, 0x06};  // jmp over the broadcast
    EXPECT_FALSE(entry(joined({padding, before, broadcast, rest}), 202));
    const Code to_start = {0xeb, 0x00};
    EXPECT_TRUE(entry(joined({padding, to_start, broadcast, rest}), 202));
    const Code behind = {0xeb, 0xfb};  // jmp to the mov
    EXPECT_FALSE(entry(joined({broadcast, rest, behind, padding}), 0, 9));
    // A call from afar, wherever it stands.
    Code text = joined({{0xe8, 0xcf, 0, 0, 0}, padding, {0x90}, broadcast, rest});
    EXPECT_FALSE(entry(text, 206));
    text[1] = 0xc9;  // to the function's start
    EXPECT_TRUE(entry(text, 206));
}

}  // namespace
