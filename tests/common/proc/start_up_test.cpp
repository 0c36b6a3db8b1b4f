#include "proc/start_up.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

Progress progress(uint64_t age_ms, uint64_t cpu_ms, bool waits)
{
    return {age_ms, cpu_ms, waits};
}

TEST(StartUp, IsOverWhenTheProcessWaitsFromOneLookToTheNext)
{
    EXPECT_TRUE(has_started(progress(100, 30, true), progress(150, 30, true)));
    EXPECT_FALSE(has_started(progress(100, 30, true), progress(150, 40, true)));
    EXPECT_FALSE(has_started(progress(100, 30, false), progress(150, 30, true)));
    EXPECT_FALSE(has_started(progress(100, 30, true), progress(100, 30, true)));
}

TEST(StartUp, IsOverWhenTheProcessHasComputedForLong)
{
    EXPECT_TRUE(has_started(progress(500, 450, false), progress(550, 500, false)));
    EXPECT_FALSE(has_started(progress(500, 450, false), progress(550, 490, false)));
}

TEST(StartUp, ProgressIsReadBehindANameWithParentheses)
{
    tests::TempFolder folder;
    std::string fields = "S 1 2 3 4 5 6 7 8 9 10 25 5 13 14 15 16 17 18 1 20";
    folder.write("77/stat", "77 (a ) b) " + fields + "\n");
    Progress progress = progress_of(77, folder.path());
    EXPECT_TRUE(progress.waits);
    EXPECT_EQ(progress.cpu_ms, 300u);
    EXPECT_GT(progress.age_ms, 1000u);
    EXPECT_EQ(progress_of(78, folder.path()).age_ms, 0u);
}

TEST(StartUp, HugePagesAreAskedForByOptionsAndEnvironment)
{
    tests::TempFolder folder;
    folder.write("1/cmdline", std::string_view("node\0server.js\0", 15));
    folder.write("1/environ", std::string_view("HOME=/\0", 7));
    EXPECT_FALSE(asks_for_huge_pages(1, folder.path()));
    folder.write("2/cmdline", std::string_view("node\0--use-largepages=on\0", 25));
    folder.write("2/environ", "");
    EXPECT_TRUE(asks_for_huge_pages(2, folder.path()));
    folder.write("3/cmdline", "node");
    folder.write("3/environ", "NODE_OPTIONS=--use-largepages=silent");
    EXPECT_TRUE(asks_for_huge_pages(3, folder.path()));
    EXPECT_TRUE(asks_for_huge_pages(4, folder.path()));  // unknown
    folder.write("5/cmdline", "");                       // has just begun to execute
    folder.write("5/environ", "");
    EXPECT_TRUE(asks_for_huge_pages(5, folder.path()));
}

}  // namespace
