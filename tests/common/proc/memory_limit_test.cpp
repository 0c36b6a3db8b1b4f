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

TEST(MemoryLimit, CountsNoPagesThatTheKernelTakesBack)
{
    tests::TempFolder folder;
    folder.write("proc/7/cgroup", "0::/\n");
    folder.write("cgroup/memory.max", "1000\n");
    folder.write("cgroup/memory.current", "1000\n");
    folder.write("cgroup/memory.stat",
                 "anon 300\ninactive_anon 5\ninactive_file 600\nactive_file 100\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), 600u);
}

TEST(MemoryLimit, IsThatOfVersion1)
{
    tests::TempFolder folder;
    folder.write("proc/7/cgroup", "9:cpu,memory:/kube:cri:/c\n3:pids:/other\n0::/other\n");
    folder.write("cgroup/memory/kube:cri:/memory.limit_in_bytes", "9223372036854771712\n");
    folder.write("cgroup/memory/kube:cri:/memory.usage_in_bytes", "5000\n");
    folder.write("cgroup/memory/kube:cri:/c/memory.limit_in_bytes", "1000\n");
    folder.write("cgroup/memory/kube:cri:/c/memory.usage_in_bytes", "900\n");
    folder.write("cgroup/memory/kube:cri:/c/memory.stat",
                 "inactive_file 1\ntotal_inactive_file 20\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), 120u);
}

TEST(MemoryLimit, IsNotKnownWithoutOne)
{
    tests::TempFolder folder;
    folder.write("proc/7/cgroup", "0::/\n");
    EXPECT_EQ(memory_left(7, folder / "proc", folder / "cgroup"), std::nullopt);
    EXPECT_EQ(memory_left(8, folder / "proc", folder / "cgroup"), std::nullopt);
}

}  // namespace
