#include "run/processes.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <unistd.h>

#include "proc/process.h"
#include "run/child.h"
#include "run/tool.h"

namespace uscope::run {
namespace {

struct CheckOf : testing::Test {
    CheckOf() { processes.declare(tool); }
    std::string error()
    {
        auto result = processes.check();
        return result ? "" : result.error().text;
    }
    Tool tool{"tool", {}};
    Processes processes;
};

TEST_F(CheckOf, AcceptsWhatIsThere)
{
    EXPECT_EQ(error(), "");
    processes.pids = {getpid()};
    processes.comms = {"bash"};
    EXPECT_EQ(error(), "");
    processes.pids = {};
    processes.tid = gettid();
    EXPECT_EQ(error(), "");
}

TEST_F(CheckOf, RefusesWhatContradictsItself)
{
    processes.pids = {getpid()};
    processes.tid = gettid();
    EXPECT_EQ(error(), "only one of -p and -L may be specified");
    processes.pids = {};
    processes.comms = {"bash", ""};
    EXPECT_EQ(error(), "--comm needs a name, not \"\"");
    processes.comms = {};
    processes.follow_forks = true;
    EXPECT_EQ(error(), "--follow-forks (-F) follows the processes of -p: add -p");
}

TEST_F(CheckOf, CallsAnOptionAsTheToolDoes)
{
    Tool other("tool", {});
    Processes renamed;
    renamed.declare(other, 't');
    renamed.pids = {getpid()};
    renamed.tid = gettid();
    EXPECT_EQ(renamed.check().error().text, "only one of -p and -t may be specified");
}

TEST_F(CheckOf, NamesWhatIsNotThere)
{
    processes.pids = {getpid(), 999'999'999};
    EXPECT_NE(error().find("999999999"), std::string::npos);
    processes.pids = {};
    processes.tid = 999'999'999;
    EXPECT_EQ(error(), "there is no thread 999999999");
    processes.tid = {};
    processes.cgroup = "/no/such/cgroup";
    EXPECT_EQ(error(), "cannot examine the cgroup /no/such/cgroup: No such file or directory");
    processes.cgroup = "/";
    EXPECT_TRUE(error().starts_with("/ is not a cgroup-v2 folder")) << error();
}

TEST(Processes, AreOneProcessWhereTheKernelCanCompare)
{
    Processes processes;
    EXPECT_EQ(processes.only(), 0);
    EXPECT_TRUE(processes.empty());
    processes.pids = {181};
    EXPECT_EQ(processes.only(), 181);
    EXPECT_FALSE(processes.empty());
    processes.follow_forks = true;
    EXPECT_EQ(processes.only(), 0);
    processes.follow_forks = false;
    processes.pids = {181, 182};
    EXPECT_EQ(processes.only(), 0);
    processes.pids = {};
    processes.tid = gettid();
    EXPECT_EQ(processes.only(), getpid());
}

TEST(Processes, LeaveTheProgramsWhatTheKernelDoesNotCompare)
{
    Processes processes;
    processes.pids = {181};
    EXPECT_EQ(processes.filter(false).tgids, (std::vector<uint32_t>{181}));
    EXPECT_TRUE(processes.filter(true).tgids.empty());
    processes.pids = {181, 182};
    EXPECT_EQ(processes.filter(true).tgids, (std::vector<uint32_t>{181, 182}));

    processes.follow_forks = true;
    auto followed = processes.filter(true);
    EXPECT_TRUE(followed.in_targets_map);
    EXPECT_TRUE(followed.tgids.empty());
}

TEST(Processes, FilterByAllThatIsGiven)
{
    Processes processes;
    EXPECT_FALSE(processes.any_kernel_filter());
    processes.comms = {"bash"};
    processes.tid = 182;
    processes.uid = 0;
    processes.cgroup = "/sys/fs/cgroup";
    EXPECT_TRUE(processes.any_kernel_filter());
    auto filter = processes.filter(true);
    EXPECT_EQ(filter.comms, std::vector<std::string>{"bash"});
    EXPECT_EQ(filter.tid, 182u);
    EXPECT_EQ(filter.uid, 0u);
    EXPECT_TRUE(filter.in_cgroup);

    Processes root;
    root.uid = 0;
    EXPECT_TRUE(root.any_kernel_filter());
    EXPECT_FALSE(root.empty());
}

TEST(Processes, AreLookedUpByTheirNames)
{
    Processes processes;
    EXPECT_TRUE(processes.for_lookup().empty());
    processes.pids = {181};
    processes.comms = {proc::comm(getpid())};
    auto found = processes.for_lookup();
    EXPECT_EQ(found.front(), 181);
    EXPECT_NE(std::find(found.begin(), found.end(), getpid()), found.end());
    processes.comms = {"no such name"};
    EXPECT_EQ(processes.for_lookup(), std::vector<pid_t>{181});
}

TEST(Processes, AreLookedUpByAThread)
{
    Processes processes;
    processes.tid = gettid();
    EXPECT_EQ(processes.for_lookup(), std::vector<pid_t>{getpid()});
}

}  // namespace
}  // namespace uscope::run
