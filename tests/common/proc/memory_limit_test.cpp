#include "proc/memory_limit.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

TEST(MemoryLimit, IsThatOfTheTightestGroup)
{
    tests::TempFolder folder;
    folder.write("proc/7/cgroup", "1:name=systemd:/x\n0::/a/b\n");
    folder.write("cgroup/a/memory.max", "1000\n");
    folder.write("cgroup/a/memory.current", "900\n");
    folder.write("cgroup/a/b/memory.max", "max\n");
    folder.write("cgroup/a/b/memory.current", "800\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), 100u);
    folder.write("cgroup/a/b/memory.max", "810\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), 10u);
    folder.write("cgroup/a/b/memory.max", "700\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), 0u);
}

TEST(MemoryLimit, IsNotKnownWithoutOne)
{
    tests::TempFolder folder;
    folder.write("proc/7/cgroup", "0::/\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), std::nullopt);
    EXPECT_EQ(memory_left(8, folder / "proc", folder / "cgroup"), std::nullopt);
}

}  // namespace
