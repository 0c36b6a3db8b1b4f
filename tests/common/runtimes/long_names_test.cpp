#include "runtimes/long_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace uscope::runtimes {
namespace {

probe::ProbeRequest probe_of(const std::vector<std::string> &values)
{
    probe::ProbeRequest probe;
    for (const std::string &value : values)
        EXPECT_TRUE(probe.add_value(value, "of " + value));
    return probe;
}

TEST(Distinguish, AddsTheAddressOfALongText)
{
    probe::ProbeRequest probe = probe_of({"arg1", "str(arg2, arg3 + 1)", "str(arg4)"});
    ASSERT_TRUE(distinguish(probe, 64));
    ASSERT_EQ(probe.values.size(), 4u);
    EXPECT_EQ(probe.values[3].name, "of str(arg2, arg3 + 1) at");
    // arg3 + 1 > 64 ? arg2 : 0
    const expr::Node &address = *probe.values[3].node;
    const expr::Node &condition = *address.children[0];
    EXPECT_EQ(condition.text, ">");
    EXPECT_EQ(condition.children[0]->text, "+");
    EXPECT_EQ(condition.children[0]->children[1]->number, 1u);
    EXPECT_EQ(condition.children[1]->number, 64u);
    EXPECT_EQ(address.children[1]->text, "arg2");
    EXPECT_EQ(address.children[2]->number, 0u);
    // The value of the name itself is unchanged.
    EXPECT_EQ(probe.values[1].node->children[0]->text, "arg2");
}

const char name[] = "com.example.Outer$Inner";
const uint64_t here = reinterpret_cast<uint64_t>(name);
constexpr pid_t nobody = 999'999'999;

TEST(WholeName, IsReadFromTheFirstProcessThatHasIt)
{
    EXPECT_EQ(whole_name({nobody, getpid()}, here, strlen(name), "com.example."), name);
    EXPECT_EQ(whole_name({getpid()}, here, 3, "com"), "com");
}

TEST(WholeName, IsNulloptIfTheTextHasChanged)
{
    EXPECT_EQ(whole_name({getpid()}, here, strlen(name), "com.other"), std::nullopt);
    EXPECT_EQ(whole_name({getpid()}, 16, strlen(name), "com"), std::nullopt);
    EXPECT_EQ(whole_name({getpid()}, 0, 0, ""), std::nullopt);
    EXPECT_EQ(whole_name({}, here, strlen(name), "com"), std::nullopt);
}

// A class file stores a name's length in 16 bits. If it is larger in memory, the memory was reused.
TEST(WholeName, IsAtMostAsLongAsAClassFileAllows)
{
    static const std::string long_name(65536, 'x');
    uint64_t at = reinterpret_cast<uint64_t>(long_name.data());
    EXPECT_EQ(whole_name({getpid()}, at, 65535, "x"), std::string(65535, 'x'));
    EXPECT_EQ(whole_name({getpid()}, at, 65536, "x"), std::nullopt);
}

}  // namespace
}  // namespace uscope::runtimes
