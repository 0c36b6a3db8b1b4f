#include "base/tool_name.h"

#include <gtest/gtest.h>

namespace uscope {
namespace {

std::string tplist_beside(std::string_view tool, std::string_view called)
{
    learn_tool_name(tool, called);
    return tool_name("tplist");
}

TEST(ToolName, HasWhatTheOthersHave)
{
    EXPECT_EQ(tplist_beside("trace", "trace"), "tplist");
    EXPECT_EQ(tplist_beside("trace", "trace-uscope"), "tplist-uscope");
    EXPECT_EQ(tplist_beside("trace", "u-trace2"), "u-tplist2");
    EXPECT_EQ(tplist_beside("trace", "t"), "tplist");
}

}  // namespace
}  // namespace uscope
