#include "proc/memory_limit.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;
using namespace uscope::proc;

namespace {

class MemoryLimit : public testing::Test {
  protected:
    void process_is_in(const char *lines) { folder_.write("proc/7/cgroup", lines); }
    using File = std::pair<const char *, const char *>;
    void group_has(const std::string &group, std::initializer_list<File> files)
    {
        for (auto [name, text] : files)
            folder_.write("cgroup" + group + "/" + name, text);
    }
    std::optional<uint64_t> left(pid_t pid = 7)
    {
        return memory_left(pid, folder_ / "proc", folder_ / "cgroup");
    }

  private:
    tests::TempFolder folder_;
};

TEST_F(MemoryLimit, IsThatOfTheTightestGroup)
{
    process_is_in("1:name=systemd:/x\n0::/a/b\n");
    group_has("/a", {{"memory.max", "1000\n"}, {"memory.current", "900\n"}});
    group_has("/a/b", {{"memory.max", "max\n"}, {"memory.current", "800\n"}});
    EXPECT_EQ(left(), 100u);
    group_has("/a/b", {{"memory.max", "810\n"}});
    EXPECT_EQ(left(), 10u);
    group_has("/a/b", {{"memory.max", "700\n"}});
    EXPECT_EQ(left(), 0u);
}

TEST_F(MemoryLimit, CountsNoPagesThatTheKernelTakesBack)
{
    process_is_in("0::/\n");
    group_has("",
              {{"memory.max", "1000\n"},
               {"memory.current", "1000\n"},
               {"memory.stat", "anon 300\ninactive_anon 5\ninactive_file 600\nactive_file 100\n"}});
    EXPECT_EQ(left(), 600u);
}

TEST_F(MemoryLimit, IsThatOfVersion1)
{
    process_is_in("9:cpu,memory:/kube:cri:/c\n3:pids:/other\n0::/other\n");
    group_has("/memory/kube:cri:", {{"memory.limit_in_bytes", "9223372036854771712\n"},
                                    {"memory.usage_in_bytes", "5000\n"}});
    group_has("/memory/kube:cri:/c",
              {{"memory.limit_in_bytes", "1000\n"},
               {"memory.usage_in_bytes", "900\n"},
               {"memory.stat", "inactive_file 1\ntotal_inactive_file 20\n"}});
    EXPECT_EQ(left(), 120u);
}

TEST_F(MemoryLimit, IsNotKnownWithoutOne)
{
    process_is_in("0::/\n");
    EXPECT_EQ(left(), std::nullopt);
    EXPECT_EQ(left(8), std::nullopt);
}

}  // namespace
