#include "proc/watch.h"

#include <map>

#include <poll.h>

#include <gtest/gtest.h>
#include <sched.h>

#include "base/fd.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

using tests::Child;

constexpr const char *mapped_library = "/lib/x86_64-linux-gnu/libz.so.1";

struct Reports {
    std::map<pid_t, std::vector<Mapping>> mapped;
    std::map<pid_t, pid_t> forked;
    std::map<pid_t, std::string> executed;
    std::vector<pid_t> order;  // the processes that executed a program or (negative) exited
    WatchHandlers handlers()
    {
        return {
            .mapped = [this](pid_t pid, const Mapping &m, uint64_t) { mapped[pid].push_back(m); },
            .forked = [this](pid_t child, pid_t parent) { forked[child] = parent; },
            .executed =
                [this](pid_t pid, std::string_view comm) {
                    executed[pid] = comm;
                    order.push_back(pid);
                },
            .exited = [this](pid_t pid) { order.push_back(-pid); }};
    }
};

class WatchTest : public testing::Test {
  protected:
    void SetUp() override
    {
        if (geteuid() != 0)
            GTEST_SKIP() << "watching needs root";
    }
    Reports reports;
};

TEST_F(WatchTest, TellsOfALibraryMappedLater)
{
    auto watch = Watch::open(reports.handlers());
    ASSERT_TRUE(watch) << watch.error().text;
    Child child([] { return tests::map_code(mapped_library, 4096) != nullptr; });
    watch->drain();
    ASSERT_EQ(reports.mapped.count(child.pid()), 1u);
    const Mapping &mapping = reports.mapped[child.pid()].at(0);
    EXPECT_EQ(mapping.path, std::filesystem::canonical(mapped_library));
    EXPECT_EQ(mapping.file, file_id(mapped_library));
    EXPECT_EQ(mapping.offset, 4096u);
    EXPECT_EQ(mapping.end - mapping.start, 4096u);
    EXPECT_TRUE(mapping.executable);
    EXPECT_EQ(reports.forked[child.pid()], getpid());
}

TEST_F(WatchTest, TellsOfAProcessThatIsGone)
{
    auto watch = Watch::open(reports.handlers());
    ASSERT_TRUE(watch) << watch.error().text;
    pid_t pid = vfork();
    if (pid == 0) {
        execl("/bin/true", "true", nullptr);
        _exit(1);
    }
    waitpid(pid, nullptr, 0);
    watch->drain();
    EXPECT_EQ(reports.executed[pid], "true");
    EXPECT_EQ(reports.mapped[pid].at(0).path, std::filesystem::canonical("/bin/true"));
    std::erase_if(reports.order, [&](pid_t p) { return p != pid && p != -pid; });
    EXPECT_EQ(reports.order, (std::vector<pid_t>{pid, -pid}));
}

TEST_F(WatchTest, IsReadableWhenThereIsSomething)
{
    auto watch = Watch::open(reports.handlers());
    ASSERT_TRUE(watch) << watch.error().text;
    Child child([] { return true; });
    pollfd poll_fd = {watch->fd(), POLLIN, 0};
    EXPECT_EQ(poll(&poll_fd, 1, 10'000), 1);
}

TEST_F(WatchTest, TellsOnlyOfTheProcessAskedFor)
{
    auto watch = Watch::open(reports.handlers(), getpid());
    ASSERT_TRUE(watch) << watch.error().text;
    Child child([] { return tests::map_code(mapped_library, 4096) != nullptr; });
    void *ours = tests::map_code(mapped_library, 4096);
    watch->drain();
    munmap(ours, 4096);
    EXPECT_EQ(reports.mapped.count(child.pid()), 0u);
    ASSERT_EQ(reports.mapped.count(getpid()), 1u);
    EXPECT_EQ(reports.mapped[getpid()].at(0).start, reinterpret_cast<uint64_t>(ours));
    EXPECT_EQ(reports.forked.count(child.pid()), 1u);
}

TEST_F(WatchTest, CountsWhatDoesNotFit)
{
    // Stay on one CPU: each has its own buffer, in which its losses are reported before the next
    // record.
    cpu_set_t before, here;
    sched_getaffinity(0, sizeof(before), &before);
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);

    uint64_t lost = 0;
    size_t seen = 0;
    auto watch = Watch::open({.mapped = [&](pid_t, const Mapping &, uint64_t) { seen++; },
                              .lost = [&](uint64_t count) { lost += count; }},
                             getpid());
    ASSERT_TRUE(watch) << watch.error().text;
    constexpr size_t many = 20'000;
    auto map_one = [] { munmap(tests::map_code(mapped_library, 4096), 4096); };
    for (size_t i = 0; i < many; i++)
        map_one();
    watch->drain();
    map_one();  // the kernel reports the loss once there is room again
    watch->drain();
    EXPECT_GT(lost, 0u);
    EXPECT_GE(seen + lost, many);
    sched_setaffinity(0, sizeof(before), &before);
}

TEST(Watch, SaysWhichCapabilityIsMissing)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "needs root to give it up";
    Child child([] {
        if (setuid(65534) != 0)
            return false;
        auto watch = Watch::open({});
        return !watch && watch.error().text.find("CAP_PERFMON") != std::string::npos;
    });
    std::string paranoid = read_file("/proc/sys/kernel/perf_event_paranoid").value_or("");
    if (paranoid.starts_with("-") || paranoid.starts_with("0"))
        GTEST_SKIP() << "everybody may watch here";
    EXPECT_TRUE(child.ready());
}

}  // namespace
}  // namespace uscope::proc
