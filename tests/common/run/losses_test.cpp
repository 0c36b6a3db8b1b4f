#include "run/losses.h"
#include "run/tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace uscope::run {
namespace {

TEST(Losses, AreAnObjectInJson)
{
    Tool tool("tool", {});
    bool json = true;
    tool.json_flag(json, "row");
    record_loss(tool, 3, "events", "the \"buffer\" was full");
    auto loss = nlohmann::json::parse(std::string_view(tool.out().buffer()));
    EXPECT_GT(loss["time_ns"], 1'700'000'000'000'000'000);
    loss.erase("time_ns");
    EXPECT_EQ(loss, nlohmann::json::parse(R"({"type":"lost","count":3,"what":"events",
        "reason":"the \"buffer\" was full"})"));
}

TEST(Losses, AddUpForTheMetrics)
{
    Tool tool("tool", {});
    record_loss(tool, 3, "events", "why");
    record_loss(tool, 4, "events", "why");
    record_loss(tool, 5, "spans", "why");
    EXPECT_EQ(tool.losses(), (Tool::LossCounts{{{"events", "why"}, 7}, {{"spans", "why"}, 5}}));
    EXPECT_EQ(tool.out().buffer().size(), 0u);
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
