#include "run/new_processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "proc/process.h"

namespace uscope::run {
namespace {

std::set<pid_t> seen(NewProcesses::Wanted wanted)
{
    std::set<pid_t> pids;
    NewProcesses arrivals(std::move(wanted), [&](pid_t pid, const proc::Mapping *mapped) {
        EXPECT_FALSE(mapped);
        pids.insert(pid);
    });
    arrivals.look();
    return pids;
}

TEST(NewProcesses, AreThoseThatRunNow)
{
    std::string own = proc::executable_name(getpid());
    auto same = seen([&](std::string_view executable) { return executable == own; });
    EXPECT_TRUE(same.contains(getpid()));
    for (pid_t pid : same)
        EXPECT_EQ(proc::executable_name(pid), own);
    EXPECT_FALSE(
        seen([&](std::string_view executable) { return executable != own; }).contains(getpid()));
}

TEST(NewProcesses, AreAllWhenNoneIsChosen)
{
    EXPECT_TRUE(seen({}).contains(getpid()));
}

}  // namespace
}  // namespace uscope::run
