#include "base/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/fd.h"

namespace uscope {
namespace {

struct Pipe {
    Pipe()
    {
        int ends[2];
        EXPECT_EQ(pipe(ends), 0);
        reader = Fd(ends[0]);
        writer = Fd(ends[1]);
    }
    // Returns false at the end of the file.
    bool read_more()
    {
        char bytes[1000];
        ssize_t got = read(reader.get(), bytes, sizeof(bytes));
        text.append(bytes, std::max<ssize_t>(got, 0));
        return got > 0;
    }
    Fd reader, writer;
    std::string text;
};

TEST(Progress, ShowsTheInnermostWorkAndErasesIt)
{
    Pipe pipe;
    {
        ProgressLine line("tool", pipe.writer.get(), std::chrono::milliseconds(0));
        Work outer("starting");
        {
            Work work("attaching", 10);
            work.done(3);
            while (pipe.text.find("\r\x1b[Ktool: attaching, 3 of 10") == std::string::npos)
                ASSERT_TRUE(pipe.read_more());
        }
        while (pipe.text.find("\r\x1b[Ktool: starting\r") == std::string::npos)
            ASSERT_TRUE(pipe.read_more());
    }
    pipe.writer = Fd();
    while (pipe.read_more()) {
    }
    EXPECT_TRUE(pipe.text.ends_with("tool: starting\r\x1b[K")) << pipe.text;
}

TEST(Progress, ShowsNothingBeforeTheDelay)
{
    Pipe pipe;
    {
        ProgressLine line("tool", pipe.writer.get(), std::chrono::hours(1));
        Work work("attaching");
    }
    pipe.writer = Fd();
    EXPECT_FALSE(pipe.read_more());
}

}  // namespace
}  // namespace uscope
