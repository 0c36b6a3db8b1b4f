#include "stack/perf_map.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::stack {
namespace {

using tests::TempFolder;

std::string name_at(const PerfMap &map, uint64_t address)
{
    auto symbol = map.find(address);
    return symbol ? std::string(symbol->name) : "nothing";
}

TEST(PerfMap, FindsWhatAnAddressIsInside)
{
    PerfMap map;
    map.append("2000 10 LazyCompile:*f /srv/app.js:1:19\n0x1000 0x20 stub\n");
    EXPECT_EQ(name_at(map, 0x2000), "LazyCompile:*f /srv/app.js:1:19");
    EXPECT_EQ(name_at(map, 0x200f), "LazyCompile:*f /srv/app.js:1:19");
    EXPECT_EQ(name_at(map, 0x2010), "nothing");
    EXPECT_EQ(name_at(map, 0x101f), "stub");
    EXPECT_EQ(name_at(map, 0xfff), "nothing");
    EXPECT_EQ(map.find(0x2004)->start, 0x2000u);
}

TEST(PerfMap, TakesTheLastOneWrittenForAPlace)
{
    PerfMap map;
    map.append("1000 10 old\n1000 10 new\n");
    EXPECT_EQ(name_at(map, 0x1000), "new");
    map.append("1000 10 newest\n");
    EXPECT_EQ(name_at(map, 0x1000), "newest");
}

TEST(PerfMap, PutsLaterLinesInTheirPlace)
{
    PerfMap map;
    map.append("3000 10 c\n");
    map.append("2000 10 b\n1000 10 a\n");
    EXPECT_EQ(name_at(map, 0x1000) + name_at(map, 0x2000) + name_at(map, 0x3000), "abc");
}

TEST(PerfMap, LeavesOutOtherLinesAndTheUnfinishedOne)
{
    PerfMap map;
    std::string text = "\nx\n1000\n1000 10\n1000 10 \n1000 zz f\n3000 10 good\n4000 10 unfini";
    EXPECT_EQ(map.append(text), text.size() - 14);
    EXPECT_EQ(name_at(map, 0x1000), "nothing");
    EXPECT_EQ(name_at(map, 0x3000), "good");
    EXPECT_EQ(name_at(map, 0x4000), "nothing");
}

TEST(PerfMap, ReadsOnWhenTheFileHasGrown)
{
    TempFolder folder;
    PerfMap map;
    std::string path = folder.write("map", "1000 10 a\n2000 10 unfini");
    EXPECT_TRUE(map.refresh(path));
    EXPECT_FALSE(map.refresh(path));
    folder.write("map", "1000 10 a\n2000 10 unfinished\n");
    EXPECT_TRUE(map.refresh(path));
    EXPECT_EQ(name_at(map, 0x1000), "a");
    EXPECT_EQ(name_at(map, 0x2000), "unfinished");
}

TEST(PerfMap, StartsAgainWithAnotherFile)
{
    TempFolder folder;
    PerfMap map;
    EXPECT_TRUE(map.refresh(folder.write("map", "1000 10 a\n")));
    folder.write("other", "2000 10 b\n3000 10 c\n");
    rename((folder / "other").c_str(), (folder / "map").c_str());
    EXPECT_TRUE(map.refresh(folder / "map"));
    EXPECT_EQ(name_at(map, 0x1000), "nothing");
    EXPECT_EQ(name_at(map, 0x2000), "b");
}

TEST(PerfMap, ReadsAFileLargerThanItsBuffer)
{
    TempFolder folder;
    std::string text;
    constexpr int lines = 50'000;
    for (int i = 0; i < lines; i++)
        text += fmt::format("{:x} 10 function_{}\n", 0x10000 + i * 0x10, i);
    PerfMap map;
    EXPECT_TRUE(map.refresh(folder.write("map", text)));
    for (int i = 0; i < lines; i++)
        ASSERT_EQ(name_at(map, 0x10000 + i * 0x10 + 3), fmt::format("function_{}", i));
}

TEST(PerfMap, ReadsRegularFilesOnly)
{
    TempFolder folder;
    PerfMap map;
    mkfifo((folder / "fifo").c_str(), 0600);
    EXPECT_FALSE(map.refresh(folder / "fifo"));
    folder.write("file", "1000 10 a\n");
    EXPECT_FALSE(map.refresh(folder.link("link", folder / "file")));
    EXPECT_FALSE(map.refresh(folder / "none"));
}

}  // namespace
}  // namespace uscope::stack
