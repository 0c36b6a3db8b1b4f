#include "attach/uprobe_event.h"

#include <gtest/gtest.h>

namespace uscope::attach {
namespace {

TEST(UprobeEvent, IsStaleWhenItsProcessIsGone)
{
    auto stale = stale_events(
        "p:uscope/t41_0 /bin/app:0x1040\n"
        "p:uscope/t41_0 /bin/app:0x2080(0x4010)\n"
        "r:uscope/t41_1 /bin/app:0x2080\n"
        "p:uscope/t42_0 /bin/app:0x1040\n",
        [](pid_t pid) { return pid == 42; });
    EXPECT_EQ(stale, (std::vector<std::string>{"t41_0", "t41_1"}));
}

TEST(UprobeEvent, IsNotStaleIfAnotherProgramMadeIt)
{
    auto stale = stale_events(
        "p:probe_app/main /bin/app:0x1040\n"
        "p:other/t41_0 /tmp/uscope/t41_0:0x1040\n"
        "p:uscope/x41_0 /bin/app:0x1040\n"
        "p:uscope/t99999999999_0 /bin/app:0x1040\n"
        "p:uscope/t_0 /bin/app:0x1040\n",
        [](pid_t) { return false; });
    EXPECT_TRUE(stale.empty());
}

}  // namespace
}  // namespace uscope::attach
