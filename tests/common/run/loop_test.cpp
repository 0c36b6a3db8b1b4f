#include "run/loop.h"

#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "attach/signals.h"
#include "run/child.h"

namespace uscope::run {
namespace {

struct Pipe {
    Pipe()
    {
        int ends[2];
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        read_end = Fd(ends[0]);
        write_end = Fd(ends[1]);
    }
    Fd read_end, write_end;
};

struct LoopTest : testing::Test {
    // Fails if the loop does not end within 20 seconds.
    LoopTest()
    {
        EXPECT_TRUE(loop.once_after(20'000, [] {
            ADD_FAILURE() << "the loop did not end";
            _exit(1);
        }));
    }
    ~LoopTest() override { attach::unblock_end_signals(); }
    Loop loop = std::move(*Loop::create());
};

TEST_F(LoopTest, RunsUntilItIsStopped)
{
    int times = 0;
    ASSERT_TRUE(loop.every(1, [&] {
        if (++times == 3)
            loop.stop();
    }));
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 3);
    EXPECT_EQ(loop.signal(), 0);
}

TEST_F(LoopTest, DoesOnceWhatIsToBeDoneOnce)
{
    int times = 0;
    ASSERT_TRUE(loop.once_after(1, [&] { times++; }));
    ASSERT_TRUE(loop.once_after(30, [&] { loop.stop(); }));
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 1);
}

TEST_F(LoopTest, IsWokenOnceForWhatIsNotReadYet)
{
    Pipe pipe;
    ASSERT_EQ(write(pipe.write_end.get(), "x", 1), 1);
    int times = 0;
    ASSERT_TRUE(loop.on_woken(pipe.read_end.get(), [&] { times++; }));
    ASSERT_TRUE(loop.once_after(30, [&] { loop.stop(); }));
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 1);
}

TEST_F(LoopTest, LooksAgainWhenItIsAskedTo)
{
    Pipe pipe;
    ASSERT_EQ(write(pipe.write_end.get(), "x", 1), 1);
    int times = 0;
    ASSERT_TRUE(loop.on_woken(pipe.read_end.get(), [&] {
        if (++times < 3)
            loop.look_again(pipe.read_end.get());
    }));
    ASSERT_TRUE(loop.once_after(30, [&] { loop.stop(); }));
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 3);
}

TEST_F(LoopTest, DoesNothingMoreOnceItIsStopped)
{
    Pipe first, second;
    int times = 0;
    for (Pipe *pipe : {&first, &second}) {
        ASSERT_EQ(write(pipe->write_end.get(), "x", 1), 1);
        ASSERT_TRUE(loop.on_readable(pipe->read_end.get(), [&] {
            times++;
            loop.stop();
        }));
    }
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 1);
}

TEST_F(LoopTest, ForgetsADescriptorAlsoWhileItIsServed)
{
    Pipe pipe;
    int times = 0;
    ASSERT_EQ(write(pipe.write_end.get(), "x", 1), 1);
    ASSERT_TRUE(loop.on_readable(pipe.read_end.get(), [&] {
        times++;
        loop.forget(pipe.read_end.get());
    }));
    ASSERT_TRUE(loop.once_after(20, [&] { loop.stop(); }));
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 1);
}

TEST_F(LoopTest, IsToldOnceThatAProcessHasEnded)
{
    auto child = Child::start({"true"});
    ASSERT_TRUE(child);
    int times = 0;
    ASSERT_TRUE(loop.on_exit(child->pid(), [&] {
        times++;
        // From here on, the memory of the running action may be reused.
        EXPECT_TRUE(loop.once_after(20, [&] { loop.stop(); }));
    }));
    ASSERT_TRUE(child->release());
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(times, 1);
}

TEST_F(LoopTest, CannotWaitForAProcessThatIsNotThere)
{
    auto watched = loop.on_exit(999'999'999, [] {});
    ASSERT_FALSE(watched);
    EXPECT_TRUE(watched.error().text.starts_with("cannot watch process 999999999: "));
}

TEST_F(LoopTest, EndsByASignalThatCameBeforeItRan)
{
    kill(getpid(), SIGHUP);
    ASSERT_TRUE(loop.run());
    EXPECT_EQ(loop.signal(), SIGHUP);
    EXPECT_TRUE(loop.stopped());
}

}  // namespace
}  // namespace uscope::run
