#include "runtimes/method_names.h"
#include "base/format.h"

#include <gtest/gtest.h>

namespace uscope::runtimes {
namespace {

using output::Value;

constexpr pid_t no_process = 999'999'999;

Value text(std::string_view text)
{
    return {.kind = Value::Kind::Text, .text = text};
}
Value code(int64_t at)
{
    return {.kind = Value::Kind::Integer, .integer = at};
}

struct MethodNamesTest : testing::Test {
    // Completes the values of a method. Returns "class method", or the number of values if it is
    // not 2.
    std::string completed(std::vector<Value> values, const char *last = "code")
    {
        probe::ProbeRequest probe;
        for (const char *name : {"class", "method", last})
            EXPECT_TRUE(probe.add_value("0", name));
        names_.complete(probe, {no_process}, values);
        if (values.size() != 2)
            return fmt::format("{} values", values.size());
        return fmt::format("{} {}", values[0].text, values[1].text);
    }
    MethodNames names_{{}, 64, MethodNames::For::Calls};
};

TEST_F(MethodNamesTest, AreLeftWhenTheProgramHasReadThem)
{
    EXPECT_EQ(completed({text("shop.py"), text("sell"), code(0)}), "shop.py sell");
}

TEST_F(MethodNamesTest, AreOtherMethodsThoughTheyCannotBeRead)
{
    EXPECT_EQ(completed({text("shop.py"), text(""), code(0x1000)}), "shop.py (not ASCII, 0x1000)");
    EXPECT_EQ(completed({text("shop.py"), text(""), code(0x2000)}), "shop.py (not ASCII, 0x2000)");
}

TEST_F(MethodNamesTest, AreThoseOfTheMethodThatIsThereNow)
{
    EXPECT_EQ(completed({text("shop.py"), text("sell"), code(0x1000)}), "shop.py sell");
    EXPECT_EQ(completed({text("bank.py"), text("pay"), code(0x1000)}), "bank.py pay");
}

TEST_F(MethodNamesTest, TouchNoOtherValues)
{
    EXPECT_EQ(completed({text("shop.py"), text("sell")}), "shop.py sell");
    EXPECT_EQ(completed({text("Shop"), text("sell"), code(0x1000)}, "line"), "3 values");
    Value unreadable;
    unreadable.kind = Value::Kind::Unreadable;
    EXPECT_EQ(completed({unreadable, text("sell"), code(0x1000)}), " sell");
}

}  // namespace
}  // namespace uscope::runtimes
