#include "proc/process.h"

#include <algorithm>
#include <thread>

#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

using tests::Child;
using tests::TempFolder;

TEST(Process, ExistsAsLongAsItRuns)
{
    Child child([] { return true; });
    pid_t pid = child.pid();
    EXPECT_TRUE(exists(pid));
    child.end();
    EXPECT_FALSE(exists(pid));
}

TEST(Process, AZombieRunsNoMore)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t ended;
    ASSERT_EQ(waitid(P_PID, pid, &ended, WEXITED | WNOWAIT), 0);
    auto running = must_run(pid);
    ASSERT_FALSE(running);
    EXPECT_EQ(running.error().text,
              fmt::format("process {} has ended and waits for its parent (zombie)", pid));
    EXPECT_TRUE(has_left_memory(pid));
    waitpid(pid, nullptr, 0);
    EXPECT_EQ(must_run(pid).error().text, fmt::format("there is no process {}", pid));
    EXPECT_TRUE(has_left_memory(pid));
    EXPECT_FALSE(has_left_memory(getpid()));
}

// A process is a checkpointing tool only if it has the name and the capabilities, and those not
// just in a user namespace of its own.
TEST(Process, TakesCheckpoints)
{
    TempFolder proc;
    auto add = [&](const std::string &pid, std::string_view comm, std::string_view capabilities,
                   const char *user_namespace) {
        proc.write(pid + "/comm", fmt::format("{}\n", comm));
        proc.write(pid + "/stat", fmt::format("{} ({}) S 1 1 1\n", pid, comm));
        proc.write(pid + "/status", fmt::format("Name:\t{}\nCapEff:\t{}\n", comm, capabilities));
        proc.write(pid + "/ns/x", "");
        std::filesystem::create_symlink(user_namespace, proc / (pid + "/ns/user"));
    };
    add("self", "uscope", "000001ffffffffff", "user:[1]");
    add("5", "criu", "000001ffffffffff", "user:[1]");
    add("6", "criu", "0000010000000000", "user:[1]");
    add("7", "criu", "0000000000000000", "user:[1]");
    add("8", "criu", "000001ffffffffff", "user:[2]");
    add("9", "crit", "000001ffffffffff", "user:[1]");
    std::vector<pid_t> found;
    for (pid_t pid = 5; pid <= 10; pid++)
        if (takes_checkpoints(pid, proc.path()))
            found.push_back(pid);
    EXPECT_EQ(found, (std::vector<pid_t>{5, 6}));
}

TEST(Process, RunsAsLongAsOneOfItsThreads)
{
    TempFolder folder;
    std::string_view stat = "7 (a) Z b) {} 1 7 7 0 -1 4194624 0 0 0 0 0 0 0 0 20 0 {} 0 99 0\n";
    folder.write("7/stat", fmt::format(fmt::runtime(stat), 'Z', 2));
    EXPECT_TRUE(must_run(7, folder.path()));
    folder.write("7/stat", fmt::format(fmt::runtime(stat), 'Z', 1));
    EXPECT_FALSE(must_run(7, folder.path()));
    folder.write("7/stat", fmt::format(fmt::runtime(stat), 'S', 1));
    EXPECT_TRUE(must_run(7, folder.path()));
    EXPECT_FALSE(is_kernel_thread(7, folder.path()));
}

TEST(Process, TellsKernelThreads)
{
    TempFolder folder;
    folder.write("2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 0 0\n");
    EXPECT_TRUE(is_kernel_thread(2, folder.path()));
    EXPECT_FALSE(is_kernel_thread(getpid()));
    EXPECT_FALSE(is_kernel_thread(999999999));
}

TEST(Process, CommKeepsWhatTheProcessCallsItself)
{
    Child child([] { return prctl(PR_SET_NAME, "two words\n") == 0; });
    EXPECT_EQ(comm(child.pid()), "two words\n");
    EXPECT_EQ(comm(999999999), "");
}

TEST(Process, NamesTheFileThatItExecutes)
{
    TempFolder proc;
    auto link = [&](const std::string &pid, const std::string &target) {
        std::filesystem::create_directory(proc / pid);
        std::filesystem::create_symlink(target, proc / (pid + "/exe"));
    };
    link("1", "/usr/sbin/mariadbd");
    link("2", "/opt/my sql/bin/mysqld (deleted)");
    EXPECT_EQ(executable_name(1, proc.path()), "mariadbd");
    EXPECT_EQ(executable_name(2, proc.path()), "mysqld");
    EXPECT_EQ(executable_name(3, proc.path()), "");
}

TEST(Process, JoinsTheCommandLine)
{
    TempFolder folder;
    folder.write("7/cmdline", std::string_view("redis-server\0--port\0"
                                               "0\0\0\0",
                                               24));
    EXPECT_EQ(command_line(7, folder.path()), "redis-server --port 0");
    EXPECT_EQ(command_line(8, folder.path()), "");
}

TEST(Process, ListsNumbersOnlyInOrder)
{
    TempFolder folder;
    for (const char *name : {"30/x", "4/x", "self/x", "4a/x"})
        folder.write(name, "");
    EXPECT_EQ(all_pids(folder.path()), (std::vector<pid_t>{4, 30}));
}

TEST(Process, KnowsParentAndChildren)
{
    Child child([] { return true; });
    EXPECT_EQ(parent(child.pid()), getpid());
    auto ours = children(getpid());
    EXPECT_NE(std::find(ours.begin(), ours.end(), child.pid()), ours.end());
    EXPECT_TRUE(children(child.pid()).empty());
}

TEST(Process, KnowsChildrenOfChildren)
{
    TempFolder folder;
    for (auto [pid, parent] : {std::pair(4, 1), {7, 4}, {9, 12}, {12, 4}, {13, 1}})
        folder.write(fmt::format("{}/status", pid), fmt::format("Name:\tx\nPPid:\t{}\n", parent));
    EXPECT_EQ(descendants(4, folder.path()), (std::vector<pid_t>{7, 12, 9}));
    EXPECT_TRUE(descendants(9, folder.path()).empty());
}

TEST(Process, KnowsThreads)
{
    pid_t tid = 0;
    std::thread([&] {
        tid = pid_t(syscall(SYS_gettid));
        auto all = threads(getpid());
        EXPECT_NE(std::find(all.begin(), all.end(), tid), all.end());
        EXPECT_EQ(thread_group(tid), getpid());
    }).join();
    EXPECT_EQ(thread_group(999999999), std::nullopt);
}

TEST(Process, ReadsTheInnermostNamespacesId)
{
    TempFolder folder;
    folder.write("70/status", "Name:\tNSpid:\t5\nNSpid:\t70\t12\t3\n");
    folder.write("71/status", "NSpid:\t71\n");
    EXPECT_EQ(namespace_pid(70, folder.path()), 3);
    EXPECT_EQ(namespace_pid(71, folder.path()), 71);
    EXPECT_EQ(namespace_pid(72, folder.path()), 72);
}

TEST(Process, HasNoRootOfItsOwnByDefault)
{
    Child child([] { return true; });
    EXPECT_EQ(root_of(child.pid()), "");
    EXPECT_TRUE(same_mount_namespace(child.pid()));
}

TEST(Process, HasARootOfItsOwnInAChroot)
{
    TempFolder folder;
    Child child([&] { return chroot(folder.path().c_str()) == 0; });
    if (!child.ready())
        GTEST_SKIP() << "chroot needs root";
    EXPECT_EQ(root_of(child.pid()), fmt::format("/proc/{}/root", child.pid()));
    EXPECT_TRUE(same_mount_namespace(child.pid()));
}

TEST(Process, HasARootOfItsOwnInAMountNamespace)
{
    Child child([] { return unshare(CLONE_NEWNS) == 0; });
    if (!child.ready())
        GTEST_SKIP() << "a mount namespace needs root";
    EXPECT_EQ(root_of(child.pid()), fmt::format("/proc/{}/root", child.pid()));
    EXPECT_FALSE(same_mount_namespace(child.pid()));
}

TEST(Process, NamesMissingCapabilities)
{
    TempFolder folder;
    folder.write("self/status",
                 "CapPrm:\tffffffffffffffff\nCapEff:\t0000004000000000\n");  // PERFMON
    EXPECT_EQ(missing_capabilities({CAP_PERFMON, CAP_BPF, CAP_SYS_ADMIN}, folder.path()),
              (std::vector<std::string>{"cap_bpf", "cap_sys_admin"}));
}

TEST(Process, SeesWhatAContainerHasOfItsOwn)
{
    TempFolder folder;
    folder.write("self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    folder.link("self/ns/user", "user:[4026532281]");
    EXPECT_TRUE(has_seccomp_filter(folder.path()));
    EXPECT_TRUE(has_own_user_namespace(folder.path()));

    TempFolder machine;
    machine.write("self/status", "Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    machine.link("self/ns/user", "user:[4026531837]");
    EXPECT_FALSE(has_seccomp_filter(machine.path()));
    EXPECT_FALSE(has_own_user_namespace(machine.path()));
}

}  // namespace
}  // namespace uscope::proc
