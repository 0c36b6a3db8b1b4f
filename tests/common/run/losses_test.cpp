#include "run/losses.h"
#include "run/tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace uscope::run {
namespace {

TEST(Losses, AreAnObjectInJson)
{
    std::string out;
    append_loss(out, 3, "events", "the \"buffer\" was full");
    auto loss = nlohmann::json::parse(out);
    EXPECT_GT(loss["time_ns"], 1'700'000'000'000'000'000);
    loss.erase("time_ns");
    EXPECT_EQ(loss, nlohmann::json::parse(R"({"type":"lost","count":3,"what":"events",
        "reason":"the \"buffer\" was full"})"));
}

TEST(Losses, AreNoneWithoutAMap)
{
    Tool tool("tool", {});
    Losses none;
    EXPECT_TRUE(none.report(tool));
    EXPECT_EQ(none.total(), 0u);
    EXPECT_EQ(tool.out().buffer().size(), 0u);
}

}  // namespace
}  // namespace uscope::run
