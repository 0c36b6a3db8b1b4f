#include "unwind/epilogue.h"

#include <gtest/gtest.h>

namespace uscope::unwind {
namespace {

#if defined(__x86_64__)

std::optional<unwind_rule> after_call(std::string_view code)
{
    return epilogue_rule(Bytes(code), false);
}

std::optional<unwind_rule> exact(std::string_view code)
{
    return epilogue_rule(Bytes(code), true);
}

// sub $8,%rsp; call *%rcx; add $8,%rsp; ret
constexpr std::string_view python("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3");
// endbr64; push %rbp; mov %rsp,%rbp; call *%rcx; pop %rbp; ret
constexpr std::string_view newer_python("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1\x5d\xc3");

TEST(Epilogue, OfPythonsTrampoline)
{
    auto rule = after_call(python.substr(6));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->kind, UNWIND_BY_SP);
    EXPECT_EQ(rule->cfa_offset, 16);
    EXPECT_EQ(rule->return_offset, -8);
    EXPECT_EQ(rule->fp, UNWIND_AS_BEFORE);
}

TEST(Epilogue, WhereverTheThreadStands)
{
    const std::pair<size_t, int> positions[] = {{0, 8}, {4, 16}, {6, 16}, {10, 8}};
    for (auto [at, offset] : positions) {
        auto rule = exact(python.substr(at));
        ASSERT_TRUE(rule) << at;
        EXPECT_EQ(rule->cfa_offset, offset) << at;
    }
}

TEST(Epilogue, RestoresTheFramePointer)
{
    auto rule = after_call(newer_python.substr(10));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->cfa_offset, 16);
    EXPECT_EQ(rule->fp, UNWIND_AT_CFA);
    EXPECT_EQ(rule->fp_offset, -16);
    // Not saved yet: the register still has it.
    for (size_t at : {0, 4}) {
        rule = exact(newer_python.substr(at));
        ASSERT_TRUE(rule) << at;
        EXPECT_EQ(rule->cfa_offset, 8) << at;
        EXPECT_EQ(rule->fp, UNWIND_AS_BEFORE) << at;
    }
}

TEST(Epilogue, PopsAndAddsOfAllKinds)
{
    // add $0x108,%rsp; pop %rbx; pop %rbp; pop %r12; ret
    auto rule =
        after_call(std::string_view("\x48\x81\xc4\x08\x01\x00\x00\x5b\x5d\x41\x5c\xc3", 12));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->cfa_offset, 0x108 + 4 * 8);
    EXPECT_EQ(rule->fp_offset, 0x108 + 8 - rule->cfa_offset);
}

TEST(Epilogue, NothingIsGuessed)
{
    // another instruction comes before the return
    EXPECT_FALSE(after_call(python));
    EXPECT_FALSE(after_call("\x48\x83\xc4\x08\x90\xc3"));                         // a nop
    EXPECT_FALSE(after_call("\x5c\xc3"));                                         // pop %rsp
    EXPECT_FALSE(after_call("\x48\x83\xc4"));                                     // truncated
    EXPECT_FALSE(after_call("\x5d"));                                             // truncated
    EXPECT_FALSE(after_call(std::string_view("\x48\x81\xc4\0\0\0\x10\xc3", 8)));  // too large
    EXPECT_FALSE(after_call(""));
    EXPECT_FALSE(exact("\x55\x48\x89\xe5\xff\xd1\xc3"));  // the frame pointer is not restored
}

#endif

}  // namespace
}  // namespace uscope::unwind
