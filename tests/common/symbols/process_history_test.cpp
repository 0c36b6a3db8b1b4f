#include "symbols/process_history.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

extern "C" void _start();

namespace uscope::symbols {
using unwind::UserStack;

namespace {

uint64_t here()
{
    return reinterpret_cast<uint64_t>(&here);
}

TEST(ProcessHistory, KnowsAProcessThatItRemembers)
{
    ProcessHistory history;
    history.remember(getpid());
    pid_t program = history.program(getpid(), {here()});
    EXPECT_EQ(program, getpid());
    EXPECT_EQ(history.comm(program), program_invocation_short_name);
    EXPECT_TRUE(history.find(program, here()).known);
}

TEST(ProcessHistory, TellsAProgramFromTheOneItWasBeforeExec)
{
    ProcessHistory history;
    if (auto watching = history.watch(); !watching)
        GTEST_SKIP() << watching.error().text;
    history.remember(getpid());
    pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", nullptr);
        _exit(1);
    }
    waitpid(child, nullptr, 0);
    history.learn();

    pid_t before = history.program(child, {here()});
    EXPECT_LT(before, 0);
    EXPECT_EQ(history.comm(before), program_invocation_short_name);
    EXPECT_TRUE(history.find(before, here()).known);
    pid_t after = history.program(child, {});
    EXPECT_EQ(after, child);
    EXPECT_EQ(history.comm(after), "true");
}

TEST(ProcessHistory, KeepsNoMoreNamesThanItNeeds)
{
    ProcessHistory history;
    history.remember(getpid());
    for (pid_t program = -1; program > -100000; program--)
        EXPECT_EQ(history.comm(program), "");
    EXPECT_LE(history.size(), 16384u);
    EXPECT_EQ(history.comm(getpid()), program_invocation_short_name);
}

// Nothing calls a thread's first function, so frames that a walk finds after it are dropped. But
// the mark of a stack whose copy was too short must stay.
TEST(ProcessHistory, MarksAStackThatWasCopiedTooShort)
{
    ProcessHistory history;
    history.remember(getpid());
    uint64_t inside_start = reinterpret_cast<uint64_t>(&_start) + 4;
    UserStack stack = {{here(), inside_start, here()}, UNWIND_UNREADABLE};
    EXPECT_EQ(history.name(getpid(), stack).cut, "");
    EXPECT_EQ(history.name(getpid(), stack).frames.size(), 2u);
    stack = {{here(), inside_start}, UNWIND_SHORT};
    EXPECT_EQ(history.name(getpid(), stack).cut, "copied too short");
}

}  // namespace
}  // namespace uscope::symbols
