#include "btf/functions.h"

#include <gtest/gtest.h>

#include "base/fd.h"

namespace uscope::btf {
namespace {

// INT; FUNC_PROTO (2 parameters); FUNC "two"; STRUCT with a member; FUNC "none"; its FUNC_PROTO ().
std::string small_btf()
{
    auto words = [](std::initializer_list<uint32_t> list) {
        return std::string(reinterpret_cast<const char *>(list.begin()), list.size() * 4);
    };
    std::string strings = std::string("\0int\0two\0none\0", 14);
    std::string types = words({1, 1 << 24, 4, 32}) +                        // 1
                        words({0, 13 << 24 | 2, 1, 0, 1, 0, 1}) +           // 2
                        words({5, 12 << 24, 2}) +                           // 3
                        words({0, 4 << 24 | 1, 4, 1, 1, 0}) +               // 4
                        words({9, 12 << 24, 6}) + words({0, 13 << 24, 1});  // 5, 6
    return words({0x0001eb9f, 24, 0, uint32_t(types.size()), uint32_t(types.size()),
                  uint32_t(strings.size())}) +
           types + strings;
}

std::optional<Function> find_function(Bytes btf, const char *name)
{
    return find_functions(btf, {name})[0];
}

TEST(BtfFunctions, FindsTheNumberAndCountsTheParameters)
{
    std::string btf = small_btf();
    auto two = find_function(Bytes(btf), "two");
    ASSERT_TRUE(two);
    EXPECT_EQ(two->id, 3u);
    EXPECT_EQ(two->parameters, 2u);
    auto none = find_function(Bytes(btf), "none");
    ASSERT_TRUE(none);
    EXPECT_EQ(none->id, 5u);
    EXPECT_EQ(none->parameters, 0u);
}

TEST(BtfFunctions, SeveralAtOnceInTheirOrder)
{
    std::string btf = small_btf();
    auto functions = find_functions(Bytes(btf), {"none", "missing", "two"});
    ASSERT_EQ(functions.size(), 3u);
    EXPECT_EQ(functions[0]->id, 5u);
    EXPECT_FALSE(functions[1]);
    EXPECT_EQ(functions[2]->parameters, 2u);
}

TEST(BtfFunctions, ANameThatIsNoFunctionIsNotFound)
{
    std::string btf = small_btf();
    EXPECT_FALSE(find_function(Bytes(btf), "int"));
    EXPECT_FALSE(find_function(Bytes(btf), "tw"));
    EXPECT_FALSE(find_function(Bytes(btf), ""));
}

TEST(BtfFunctions, EveryTruncationIsSurvived)
{
    std::string btf = small_btf();
    for (size_t length = 0; length < btf.size(); length++)
        EXPECT_FALSE(find_function(Bytes(btf.data(), length), "none"));
}

TEST(BtfFunctions, TheKernelsOwn)
{
    auto btf = read_file("/sys/kernel/btf/vmlinux");
    if (!btf)
        GTEST_SKIP() << btf.error().text;
    auto function = find_function(Bytes(*btf), "bpf_rcu_read_lock");  // void (void)
    if (!function)
        GTEST_SKIP() << "a kernel without kfuncs";
    EXPECT_GT(function->id, 1000u);
    EXPECT_EQ(function->parameters, 0u);
}

}  // namespace
}  // namespace uscope::btf
