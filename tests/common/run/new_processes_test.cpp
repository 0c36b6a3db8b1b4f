#include "run/new_processes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/signals.h"
#include "proc/process.h"

namespace uscope::run {
namespace {

using Wanted = NewProcesses::Wanted;

std::set<pid_t> seen(Wanted wanted)
{
    std::set<pid_t> pids;
    NewProcesses::Handlers handlers;
    handlers.found = [&](pid_t pid, const proc::Mapping *mapped) {
        EXPECT_FALSE(mapped);
        pids.insert(pid);
    };
    NewProcesses(std::move(wanted), std::move(handlers)).look();
    return pids;
}

bool none(std::string_view)
{
    return false;
}

TEST(NewProcesses, AreThoseThatRunNow)
{
    std::string own = proc::executable_name(getpid());
    auto same = seen({.program = [&](std::string_view name) { return name == own; }});
    EXPECT_TRUE(same.contains(getpid()));
    for (pid_t pid : same)
        EXPECT_EQ(proc::executable_name(pid), own);
    EXPECT_FALSE(
        seen({.program = [&](std::string_view name) { return name != own; }}).contains(getpid()));
}

TEST(NewProcesses, AreAllWhenNoneIsChosen)
{
    EXPECT_TRUE(seen({}).contains(getpid()));
    EXPECT_EQ(seen({.process = [](pid_t pid) { return pid == getpid(); }}),
              std::set<pid_t>{getpid()});
}

TEST(NewProcesses, MayBeChosenByTheirLibraries)
{
    auto is_libc = [](std::string_view name) { return name == "libc.so.6"; };
    EXPECT_TRUE(seen({.program = none, .library = is_libc}).contains(getpid()));
    EXPECT_TRUE(seen({.program = none, .library = none}).empty());
}

// Runs the loop until the child ends, and counts what the handlers report about the child.
struct Heard {
    std::vector<std::string> mapped;
    int executed = 0, ended = 0;
};
std::optional<Heard> hear(Wanted wanted, const std::function<void()> &child)
{
    Heard heard;
    pid_t pid = 0;
    auto loop = Loop::create();
    EXPECT_TRUE(loop);
    wanted.process = [&](pid_t other) { return other == pid; };
    NewProcesses processes(
        std::move(wanted),
        {.found =
             [&](pid_t, const proc::Mapping *mapping) {
                 heard.mapped.push_back(mapping ? mapping->path : "");
             },
         .executed = [&](pid_t other, std::string_view) { heard.executed += other == pid; },
         .ended =
             [&](pid_t other) {
                 heard.ended += other == pid;
                 if (other == pid)
                     loop->stop();
             }});
    bool listens = processes.listen(*loop).has_value();
    if (listens) {
        pid = fork();
        if (pid == 0) {
            child();
            _exit(0);
        }
        EXPECT_TRUE(loop->run());
        waitpid(pid, nullptr, 0);
    }
    attach::unblock_end_signals();
    return listens ? std::optional(heard) : std::nullopt;
}

TEST(NewProcesses, AreHandedOverWithTheirProgram)
{
    auto is_true = [](std::string_view name) { return name == "true"; };
    auto heard = hear({.program = is_true},
                      [] { execl("/bin/true", "true", static_cast<char *>(nullptr)); });
    if (!heard)
        GTEST_SKIP() << "not permitted";
    ASSERT_EQ(heard->mapped.size(), 1u);
    EXPECT_TRUE(heard->mapped[0].ends_with("/true"));
    EXPECT_EQ(heard->executed, 1);
    EXPECT_EQ(heard->ended, 1);
}

TEST(NewProcesses, AreHandedOverWithALibraryThatTheyLoad)
{
    auto heard = hear(
        {.program = none, .library = [](std::string_view name) { return name == "true"; }}, [] {
            int file = open("/bin/true", O_RDONLY | O_CLOEXEC);
            mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
        });
    if (!heard)
        GTEST_SKIP() << "not permitted";
    ASSERT_EQ(heard->mapped.size(), 1u);
    EXPECT_TRUE(heard->mapped[0].ends_with("/true"));
    EXPECT_EQ(heard->executed, 0);
}

}  // namespace
}  // namespace uscope::run
