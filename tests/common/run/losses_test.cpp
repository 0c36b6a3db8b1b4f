#include "run/losses.h"

#include <gtest/gtest.h>

namespace uscope::run {
namespace {

TEST(Losses, AreAnObjectInJson)
{
    fmt::memory_buffer out;
    append_loss(out, 3, "events", "the \"buffer\" was full");
    EXPECT_EQ(fmt::to_string(out),
              "{\"type\":\"lost\",\"count\":3,\"what\":\"events\","
              "\"reason\":\"the \\\"buffer\\\" was full\"}\n");
}

TEST(Losses, AreNoneWithoutAMap)
{
    const char *words[] = {"tool"};
    Tool tool(1, const_cast<char **>(words));
    Losses none;
    EXPECT_TRUE(none.tell(tool));
    EXPECT_EQ(none.total(), 0u);
    EXPECT_EQ(tool.out().buffer().size(), 0u);
}

}  // namespace
}  // namespace uscope::run
