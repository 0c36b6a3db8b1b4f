#include "probe/sites.h"

#include <cstddef>

#include <gtest/gtest.h>

#include <asm/ptrace.h>

#include "base/format.h"
#include "bpf/lib/site.h"
#include "resolve/resolve.h"

namespace uscope::probe {
namespace {

// Returns for each part (the sites that one loaded program serves) the constant of its program, and
// "file:offset=number" for each site.
std::string text(const std::vector<Part> &parts)
{
    std::string text;
    for (const Part &part : parts) {
        text += fmt::format("{:#x}", part.site);
        for (size_t file = 0; file < part.files.size(); file++) {
            for (const auto &site : part.files[file])
                text += fmt::format(" {}:{:#x}={}", file, site.offset, site.cookie);
        }
        text += '\n';
    }
    return text;
}

std::string parts(const std::vector<Sites> &sites, SiteIdentity identity, uint32_t next_place = 0)
{
    return text(split_sites(sites, identity, next_place));
}

const std::vector<Sites> three = {{{0x1040, 0, 1}, {0x2080, 0, 2}, {0x5040, 0, 3}}};

TEST(Sites, ShareAProgramWhereTheKernelTellsThemApart)
{
    EXPECT_EQ(parts(three, SiteIdentity::Cookie), "0x100000000 0:0x1040=1 0:0x2080=2 0:0x5040=3\n");
}

TEST(Sites, ShareAProgramWhereNobodyAsks)
{
    EXPECT_EQ(parts(three, SiteIdentity::None), "0x0 0:0x1040=1 0:0x2080=2 0:0x5040=3\n");
}

TEST(Sites, AtTheSamePlaceOfAPageGetProgramsOfTheirOwn)
{
    EXPECT_EQ(parts(three, SiteIdentity::AddressBits),
              "0x200000000 0:0x1040=1 0:0x2080=2\n"
              "0x3 0:0x5040=3\n");
}

TEST(Sites, AtTheSamePlaceInTwoFilesGetProgramsOfTheirOwn)
{
    EXPECT_EQ(
        parts({{{0x1040, 0, 1}, {0x1080, 0, 2}}, {{0x3080, 0, 3}}}, SiteIdentity::AddressBits),
        "0x200000000 0:0x1040=1 0:0x1080=2\n"
        "0x3 1:0x3080=3\n");
}

TEST(Sites, StandAloneWhereNothingTells)
{
    EXPECT_EQ(parts(three, SiteIdentity::Separate),
              "0x1 0:0x1040=1\n0x2 0:0x2080=2\n0x3 0:0x5040=3\n");
}

TEST(Sites, GetPartsOfTheTableOfTheirOwn)
{
    uint32_t next_place = SITE_PAGE_BYTES;
    auto parts = split_sites({{{0x1040, 0, 1}, {0x1080, 0, 2}, {0x2040, 0, 3}, {0x2080, 0, 4}}},
                             SiteIdentity::AddressBits, next_place);
    EXPECT_EQ(next_place, 3u * SITE_PAGE_BYTES);
    ASSERT_EQ(parts.size(), 2u);
    using Entries = std::vector<std::pair<uint32_t, uint32_t>>;
    EXPECT_EQ(table_entries(parts[0]), (Entries{{0x1040, 1}, {0x1080, 2}}));
    EXPECT_EQ(table_entries(parts[1]), (Entries{{0x2040, 3}, {0x2080, 4}}));
}

TEST(Sites, NeedNoTableForOneNumber)
{
    uint32_t next_place = 0;
    for (const Part &part : split_sites(three, SiteIdentity::Separate, next_place))
        EXPECT_TRUE(table_entries(part).empty());
    EXPECT_EQ(next_place, 0u);
}

TEST(Sites, AreNumberedThroughAllFiles)
{
    resolve::Group group;
    group.files.resize(2);
    group.files[0].sites = {{.name = "a", .file_offset = 0x10, .return_offsets = {0x18, 0x1c}}};
    group.files[1].sites = {{.name = "b", .file_offset = 0x20, .return_offsets = {0x2a}}};
    auto entries = number_sites(group, true);
    EXPECT_EQ(parts(entries, SiteIdentity::None), "0x0 0:0x10=1 1:0x20=2\n");
    EXPECT_EQ(parts(return_sites(group, entries, false), SiteIdentity::None),
              "0x0 0:0x18=1 0:0x1c=1 1:0x2a=2\n");
    EXPECT_EQ(parts(number_sites(group, false), SiteIdentity::None), "0x0 0:0x10=0 1:0x20=0\n");
}

// At a function's start, a return probe of the kernel may replace the return address after the
// programs have run. So a program must not execute a return instruction there.
TEST(Sites, MayReturnByAProgramButAtTheStartOfAFunction)
{
    resolve::Group group;
    group.files.resize(1);
    group.files[0].sites = {{.name = "a",
                             .file_offset = 0x10,
                             .return_offsets = {0x18},
                             .borrowed_offsets = {0x20, 0x38},
                             .lone_return_offsets = {0x20}}};
    auto entries = number_sites(group, true);
    EXPECT_FALSE(entries[0][0].may_return);
    auto returns = return_sites(group, entries, false)[0];
    ASSERT_EQ(returns.size(), 3u);
    EXPECT_TRUE(returns[0].may_return);
    EXPECT_FALSE(returns[1].may_return);
    EXPECT_TRUE(returns[2].may_return);
}

// A branch's entry says under which flags it leads to a return, and where the result is.
TEST(Sites, AreDescribedIfSomeAreBranches)
{
    resolve::ExitBranch branch = {.condition = 15, .by_frame_pointer = true, .offset = 8};
    branch.not_taken = {true, {.reg = 3, .bits = 32, .is_narrow = true}};
    resolve::Group group;
    group.files.resize(1);
    group.files[0].sites = {{.name = "a", .file_offset = 0x10, .return_offsets = {0x18}}};
    EXPECT_FALSE(group.has_branches());
    group.files[0].sites[0].branches = {{0x16, branch, true}};
    EXPECT_TRUE(group.has_branches());
    auto sites = number_sites(group, true);
    auto exits = return_sites(group, sites, false);
    auto entries = describe_exits(group, sites, 7, exits);
    EXPECT_EQ(parts(exits, SiteIdentity::None), "0x0 0:0x18=7 0:0x16=8\n");
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].number, 1u);
    EXPECT_TRUE(entries[0].ways[1].returns && entries[0].is_inverted && !entries[0].flags);
    EXPECT_EQ(entries[0].ways[1].reg, offsetof(pt_regs, rax));
    EXPECT_EQ(entries[1].number, 1 | SITE_BORROWED);
    EXPECT_EQ(entries[1].flags, 0x40u);
    EXPECT_TRUE(entries[1].by_sign && entries[1].is_inverted && entries[1].by_fp);
    EXPECT_EQ(entries[1].stack, 8);
    EXPECT_FALSE(entries[1].ways[1].returns);
    EXPECT_EQ(entries[1].ways[0].reg, offsetof(pt_regs, rbx));
    EXPECT_EQ(entries[1].ways[0].shift, 32);
    EXPECT_TRUE(entries[1].ways[0].is_narrow && !entries[1].ways[0].is_signed);
}

// Two functions share code: a branch leads to returns of one by both ways, of the other by one.
TEST(Sites, AreDescribedForEachFunction)
{
    resolve::ExitBranch both = {.taken = {true, {}}, .not_taken = {true, {}}}, one = both;
    one.not_taken = {};
    resolve::Group group;
    group.files.resize(1);
    group.files[0].sites = {{.name = "a", .file_offset = 0x10, .branches = {{0x16, both, false}}},
                            {.name = "b", .file_offset = 0x20, .branches = {{0x16, one, true}}}};
    auto sites = number_sites(group, true);
    auto exits = return_sites(group, sites, false);
    auto entries = describe_exits(group, sites, 0, exits);
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_TRUE(entries[0].ways[0].returns);
    EXPECT_FALSE(entries[1].ways[0].returns);
}

}  // namespace
}  // namespace uscope::probe
