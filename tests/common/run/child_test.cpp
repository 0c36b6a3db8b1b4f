#include "run/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/proc/fixture.h"
#include "proc/process.h"

namespace uscope::run {
namespace {

TEST(Child, WaitsUntilItIsReleased)
{
    auto child = Child::start({"true"});
    ASSERT_TRUE(child);
    EXPECT_NE(proc::comm(child->pid()), "true");
    ASSERT_TRUE(child->release());
    int status = -1;
    EXPECT_EQ(waitpid(child->pid(), &status, 0), child->pid());
    EXPECT_EQ(status, 0);
}

TEST(Child, SaysThatAProgramCannotBeExecuted)
{
    auto child = Child::start({"/no/such/program"});
    ASSERT_TRUE(child);
    auto released = child->release();
    ASSERT_FALSE(released);
    EXPECT_EQ(released.error().text, "cannot execute /no/such/program: No such file or directory");
}

TEST(Child, IsEndedWithItsOwner)
{
    pid_t pid;
    {
        auto child = Child::start({"sleep", "1000"});
        ASSERT_TRUE(child && child->release());
        pid = child->pid();
        EXPECT_TRUE(proc::exists(pid));
    }
    EXPECT_FALSE(proc::exists(pid));
}

TEST(Child, MayEndWhileItWaits)
{
    signal(SIGPIPE, SIG_IGN);
    auto child = Child::start({"sleep", "1000"});
    ASSERT_TRUE(child);
    pid_t pid = child->pid();
    kill(pid, SIGKILL);
    siginfo_t info;
    ASSERT_EQ(waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(child->release());
}

TEST(Child, IsEndedEvenWhenItNeverRan)
{
    pid_t pid;
    {
        auto child = Child::start({"sleep", "1000"});
        ASSERT_TRUE(child);
        pid = child->pid();
    }
    EXPECT_FALSE(proc::exists(pid));
}

TEST(Child, IsEndedWhenItIgnoresTermination)
{
    tests::TempFolder folder;
    std::string ready = folder / "ready";
    pid_t pid;
    {
        auto child = Child::start({"sh", "-c", "trap '' TERM; : >" + ready + "; exec sleep 1000"});
        ASSERT_TRUE(child && child->release());
        pid = child->pid();
        while (access(ready.c_str(), F_OK) != 0)
            ASSERT_EQ(waitpid(pid, nullptr, WNOHANG), 0);
    }
    EXPECT_FALSE(proc::exists(pid));
}

}  // namespace
}  // namespace uscope::run
