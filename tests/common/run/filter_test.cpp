#include "run/filter.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace uscope::run {
namespace {

filter_config config_of(const Processes &processes)
{
    return KernelFilter(processes, {}).config();
}

TEST(KernelFilter, NeverTakesTheToolItself)
{
    filter_config config = config_of({});
    EXPECT_EQ(config.not_tgid, uint32_t(getpid()));
    EXPECT_EQ(config.tgid, 0u);
    EXPECT_FALSE(config.by_targets || config.by_comm || config.by_cgroup || config.by_uid);
}

TEST(KernelFilter, ComparesWithOneProcessAndLooksSeveralUp)
{
    Processes processes;
    processes.pids = {181};
    EXPECT_EQ(config_of(processes).tgid, 181u);
    EXPECT_FALSE(config_of(processes).by_targets);
    processes.pids = {181, 182};
    EXPECT_EQ(config_of(processes).tgid, 0u);
    EXPECT_TRUE(config_of(processes).by_targets);
    processes.pids = {181};
    processes.follow_forks = true;
    EXPECT_EQ(config_of(processes).tgid, 0u);
    EXPECT_TRUE(config_of(processes).by_targets);
}

TEST(KernelFilter, TellsRootFromNoUser)
{
    Processes processes;
    processes.uid = 0;
    EXPECT_TRUE(config_of(processes).by_uid);
    EXPECT_EQ(config_of(processes).uid, 0u);
}

TEST(KernelFilter, HasAllThatIsGiven)
{
    Processes processes;
    processes.tid = 182;
    processes.comms = {"bash"};
    processes.cgroup = "/sys/fs/cgroup";
    filter_config config = config_of(processes);
    EXPECT_EQ(config.tid, 182u);
    EXPECT_TRUE(config.by_comm);
    EXPECT_TRUE(config.by_cgroup);
}

}  // namespace
}  // namespace uscope::run
