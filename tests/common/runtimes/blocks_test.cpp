#include "runtimes/blocks.h"

#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "probe/program.h"

namespace uscope::runtimes {
namespace {

// The sites of the programs that call each C function of memleak.
std::map<std::string, std::set<std::string>> sites_of(const BlockSource &source)
{
    std::map<std::string, std::set<std::string>> sites;
    auto probes = build_block_probes(source, {});
    EXPECT_TRUE(probes) << (probes ? "" : probes.error().text);
    if (!probes)
        return sites;
    EXPECT_FALSE(are_sessions(*probes));
    for (const auto &program : probes->programs()) {
        auto &names = sites[program->probe->event_output.function];
        names.insert(program->site_names.begin(), program->site_names.end());
    }
    return sites;
}

TEST(Blocks, AreOfTheProcesssAllocator)
{
    auto sites = sites_of({.pids = {getpid()}});
    EXPECT_TRUE(sites["memleak_allocate"].contains("malloc"));
    EXPECT_TRUE(sites["memleak_allocate"].contains("calloc"));
    EXPECT_TRUE(sites["memleak_freed"].contains("free"));
    EXPECT_EQ(sites.size(), 2u);
}

TEST(Blocks, AreOfTheFile)
{
    auto sites = sites_of({.file = "c"});
    EXPECT_TRUE(sites["memleak_allocate"].contains("posix_memalign"));
}

TEST(Blocks, NeedAnAllocator)
{
    auto none = build_block_probes({.file = "c", .prefix = "je_"}, {});
    ASSERT_FALSE(none);
    EXPECT_TRUE(
        none.error().text.ends_with("has no function je_malloc; use -O to name the file that "
                                    "has it"))
        << none.error().text;
    EXPECT_EQ(build_block_probes({}, {}).error().text, "no running process matches; pass a PID");
}

}  // namespace
}  // namespace uscope::runtimes
