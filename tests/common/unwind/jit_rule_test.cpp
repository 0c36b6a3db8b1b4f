#include "unwind/jit_rule.h"

#include <gtest/gtest.h>

namespace uscope::unwind {
namespace {

#if defined(__x86_64__)

using Blob = lang::HotspotCode::Blob;

// mov %eax,-0x14000(%rsp); push %rbp; sub $48,%rsp; …
constexpr std::string_view c1("\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x30\x90\x90", 14);
// sub $24,%rsp; mov %rbp,16(%rsp); …
constexpr std::string_view c2("\x48\x83\xec\x18\x48\x89\x6c\x24\x10\x90\x90", 11);
// add $48,%rsp; pop %rbp; cmp 0x348(%r15),%rsp; ja …; ret
constexpr std::string_view leaves(
    "\x48\x83\xc4\x30\x5d\x49\x3b\xa7\x48\x03\x00\x00\x0f\x87\x10\x00\x00\x00\xc3", 19);

Blob method(uint64_t frame_bytes, uint64_t complete_at)
{
    Blob blob = {.kind = Blob::Kind::Method, .address = 0x1000, .code_begin = 0x1100};
    blob.code_end = 0x2000;
    blob.frame_bytes = frame_bytes;
    blob.complete_at = complete_at;
    blob.compile_id = 0x51234;
    blob.compile_id_at = 0x1020;
    return blob;
}

std::optional<unwind_rule> rule_at(const Blob &blob, std::string_view code, uint64_t offset)
{
    return jit_rule(blob, Bytes(code), Bytes(code.substr(offset)), blob.code_begin + offset, true);
}

TEST(JitRule, WhileC1sFrameIsMade)
{
    Blob blob = method(64, 12);
    for (auto [offset, cfa, fp] : {std::tuple(0, 8, 0), {7, 8, 0}, {8, 16, -16}, {12, 64, -16}}) {
        auto rule = rule_at(blob, c1, offset);
        ASSERT_TRUE(rule) << offset;
        EXPECT_EQ(rule->kind, UNWIND_BY_SP);
        EXPECT_EQ(rule->cfa_offset, cfa) << offset;
        EXPECT_EQ(rule->fp, fp ? UNWIND_AT_CFA : UNWIND_AS_BEFORE) << offset;
        EXPECT_EQ(rule->fp_offset, fp) << offset;
    }
}

TEST(JitRule, WhileC2sFrameIsMade)
{
    Blob blob = method(32, 9);
    for (auto [offset, cfa, fp] : {std::tuple(0, 8, 0), {4, 32, 0}, {9, 32, -16}}) {
        auto rule = rule_at(blob, c2, offset);
        ASSERT_TRUE(rule) << offset;
        EXPECT_EQ(rule->cfa_offset, cfa) << offset;
        EXPECT_EQ(rule->fp_offset, fp) << offset;
    }
}

TEST(JitRule, WhileTheFrameIsLeft)
{
    Blob blob = method(64, 0);
    for (auto [offset, cfa] : {std::pair(0, 64), {4, 16}, {5, 8}, {12, 8}, {18, 8}}) {
        auto rule = rule_at(blob, leaves, offset);
        ASSERT_TRUE(rule) << offset;
        EXPECT_EQ(rule->cfa_offset, cfa) << offset;
    }
}

TEST(JitRule, OfWhatLooksUpMethods)
{
    Blob blob = {.name = "vtable chunks"};
    // mov 8(%rsi),%eax
    auto rule = jit_rule(blob, Bytes(), Bytes(std::string_view("\x8b\x46\x08")), 0x1100, true);
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->cfa_offset, 8);
    EXPECT_EQ(rule->fp, UNWIND_AS_BEFORE);
}

TEST(JitRule, OfCallers)
{
    Blob blob = method(64, 12);
    auto rule = jit_rule(blob, Bytes(c1), Bytes(leaves), 0x1200, false);
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->cfa_offset, 64);
    blob.kind = Blob::Kind::Interpreter;
    rule = jit_rule(blob, Bytes(), Bytes(), 0x1200, false);
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->kind, UNWIND_BY_FRAME);
    EXPECT_EQ(rule->jit, UNWIND_JIT_FRAME);
}

TEST(JitRule, CallsComeBeforeWhereTheyReturnTo)
{
    using namespace std::literals;
    for (std::string_view call :
         {"\xe8\x10\x20\x30\x40"sv, "\x41\xff\xd2"sv, "\xff\xd0"sv, "\xff\x50\x10"sv,
          "\xff\x90\x10\x20\0\0"sv, "\xff\x15\x10\x20\0\0"sv})
        EXPECT_TRUE(may_follow_call(Bytes(call)));
    // call *8(%rsp); call *(%rax,%rbx,8); call *0x100(%rax,%rbx,8)
    for (std::string_view call :
         {"\xff\x54\x24\x08"sv, "\xff\x14\xd8"sv, "\xff\x94\xd8\x00\x01\x00\x00"sv})
        EXPECT_TRUE(may_follow_call(Bytes(call)));
    for (std::string_view other : {"\x48\x83\xec\x30\x90\x90"sv, "\xff\xe0"sv, "\x90"sv, ""sv})
        EXPECT_FALSE(may_follow_call(Bytes(other)));
}

TEST(JitRule, IsTiedToTheCode)
{
    Blob blob = method(64, 12);
    unwind_rule rule = {};
    ASSERT_TRUE(tie_to_code(rule, blob, 0x1203));
    EXPECT_EQ((0x1203 & ~3) - rule.code_before * 4, 0x1020);
    EXPECT_EQ(rule.code_number, 0x1234);
    // The address is too far from the code for the rule's field.
    EXPECT_FALSE(tie_to_code(rule, blob, 0x1020 + (4 << 16)));
    // Only methods are replaced.
    rule = {};
    blob.kind = Blob::Kind::Stub;
    EXPECT_TRUE(tie_to_code(rule, blob, 0x1203));
    EXPECT_EQ(rule.code_before, 0);
}

#endif

}  // namespace
}  // namespace uscope::unwind
