#include "symbols/perf_map.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::symbols {
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

template <class... T>
std::string words(T... values)
{
    std::string bytes;
    (bytes.append(reinterpret_cast<const char *>(&values), sizeof values), ...);
    return bytes;
}

// Returns a jitdump record for a piece of JIT code.
std::string load(uint64_t start, std::string_view name, std::string_view code)
{
    uint64_t bytes = 56 + name.size() + 1 + code.size();
    return words(uint32_t{0}, uint32_t(bytes), uint64_t{0}, uint32_t{1}, uint32_t{1}, start, start,
                 uint64_t(code.size()), uint64_t{7}) +
           std::string(name) + '\0' + std::string(code);
}
std::string move(uint64_t from, uint64_t to, uint64_t size)
{
    return words(uint32_t{1}, uint32_t{64}, uint64_t{0}, uint32_t{1}, uint32_t{1}, from, from, to,
                 size, uint64_t{7});
}

TEST(PerfMap, ReadsAJitdump)
{
    TempFolder folder;
    std::string header = "DTiJ" + words(1u, 40u, 62u, 0u, 1u, uint64_t{0}, uint64_t{0});
    std::string other = words(2u, 24u, uint64_t{0}, uint64_t{5});
    folder.write("jit-1.dump", header + load(0x1000, "evalexpr_0_1", "abcdefgh") + other +
                                   move(0x1000, 0x3000, 8) + load(0x2000, "deform_0_2", "abcd"));
    PerfMap map;
    EXPECT_TRUE(map.refresh(folder.path() + "/jit-1.dump"));
    EXPECT_EQ(name_at(map, 0x1007), "evalexpr_0_1");
    EXPECT_EQ(name_at(map, 0x1008), "nothing");
    EXPECT_EQ(name_at(map, 0x2003), "deform_0_2");
    EXPECT_EQ(name_at(map, 0x3007), "evalexpr_0_1");
    EXPECT_FALSE(map.refresh(folder.path() + "/jit-1.dump"));
}

TEST(PerfMap, TakesNoUnfinishedRecordOfAJitdump)
{
    std::string record = load(0x1000, "f", "abcd");
    for (uint64_t left : {record.size() - 1, uint64_t{0}}) {
        PerfMap map;
        EXPECT_EQ(map.append_dump(Bytes(record), left), 0u);
        EXPECT_EQ(name_at(map, 0x1000), "nothing");
    }
    // If only the beginning of a record was read, that is enough if it contains the name.
    PerfMap map;
    EXPECT_EQ(map.append_dump(Bytes(record.data(), record.size() - 4), record.size()),
              record.size());
    EXPECT_EQ(name_at(map, 0x1000), "f");
    EXPECT_EQ(map.append_dump(Bytes(record.data(), 57), record.size()), 0u);
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
}  // namespace uscope::symbols
