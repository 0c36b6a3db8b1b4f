#include "attach/record.h"

#include <gtest/gtest.h>

namespace uscope::attach {
namespace {

TEST(Record, HasTheSitesOfEachFile)
{
    auto noted = parse_record("file 2050 1311\n12f40 0\n12f80 40a8\nfile 7 8\n1 0\n");
    ASSERT_EQ(noted.size(), 2u);
    EXPECT_EQ(noted[0].file, (proc::FileId{2050, 1311}));
    ASSERT_EQ(noted[0].sites.size(), 2u);
    EXPECT_EQ(noted[0].sites[1].offset, 0x12f80u);
    EXPECT_EQ(noted[0].sites[1].ref_ctr_offset, 0x40a8u);
    EXPECT_EQ(noted[1].sites.size(), 1u);
}

TEST(Record, LeavesOutALineThatWasNotFinished)
{
    auto noted = parse_record("file 2050 1311\n12f40 0\n12f");
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted[0].sites.size(), 1u);
    EXPECT_TRUE(parse_record("file 2050 13").empty());
}

TEST(Record, EndsAtWhatIsNoLine)
{
    EXPECT_TRUE(parse_record("").empty());
    EXPECT_TRUE(parse_record("12f40 0\n").empty());
    EXPECT_TRUE(parse_record("file 1\n").empty());
    EXPECT_TRUE(parse_record("file -1 2\n").empty());
    auto noted = parse_record("file 1 2\n3 0\n4 0 5\n6 0\n");
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted[0].sites.size(), 1u);
    EXPECT_TRUE(parse_record("file 1 2\n10000000000000000 0\n")[0].sites.empty());
}

}  // namespace
}  // namespace uscope::attach
