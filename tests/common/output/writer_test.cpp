#include "output/writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"
#include "output/escape.h"
#include "output/rows.h"

namespace uscope::output {
namespace {

class WriterTest : public testing::Test {
  protected:
    WriterTest()
    {
        char name[] = "/tmp/uscope-writer.XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/out";
    }
    ~WriterTest() override { [[maybe_unused]] int status = system(("rm -rf " + folder_).c_str()); }

    void write_old()
    {
        Fd file(open(path_.c_str(), O_WRONLY | O_CREAT, 0640));
        ASSERT_EQ(write(file.get(), "old", 3), 3);
    }
    std::string folder_, path_;
};

TEST_F(WriterTest, ReplacesAFileWhenTheFirstResultIsThere)
{
    write_old();
    Writer writer(-1);
    ASSERT_TRUE(writer.redirect(path_));
    Table table(writer, {{"PID", 3}, {"COMM", 0}}, false);
    table.header();
    append(writer.buffer(), "\n");
    table.header();
    writer.flush();
    EXPECT_EQ(*read_file(path_), "old");
    table.row({7, "demo"});
    writer.flush();
    EXPECT_EQ(*read_file(path_), "PID COMM\n\nPID COMM\n7   demo\n");
    table.header();
    writer.flush();
    EXPECT_EQ(writer.lines(), 5u);
    EXPECT_EQ(*read_file(path_), "PID COMM\n\nPID COMM\n7   demo\nPID COMM\n");
}

TEST_F(WriterTest, CreatesNoFileWithoutResults)
{
    {
        Writer writer(-1);
        ASSERT_TRUE(writer.redirect(path_));
        writer.heading("PID");
    }
    EXPECT_EQ(rmdir(folder_.c_str()), 0) << "it is not empty";
}

// A result is written at once, also if a heading follows it.
TEST_F(WriterTest, WritesTheLastResult)
{
    {
        Writer writer(-1);
        ASSERT_TRUE(writer.redirect(path_));
        append(writer.buffer(), "result\n");
        writer.heading("PID");
    }
    EXPECT_EQ(*read_file(path_), "result\nPID\n");
}

TEST_F(WriterTest, RefusesAFileThatItCannotWrite)
{
    Writer writer(-1);
    EXPECT_FALSE(writer.redirect(folder_ + "/none/out"));
}

TEST_F(WriterTest, KeepsTheErrorOfAFolderThatIsGone)
{
    Writer writer(-1);
    ASSERT_TRUE(writer.redirect(path_));
    ASSERT_EQ(rmdir(folder_.c_str()), 0);
    append(writer.buffer(), "result\n");
    writer.flush();
    EXPECT_EQ(writer.error(), ENOENT);
}

TEST_F(WriterTest, ColoursAndOmitsHeadings)
{
    Writer writer(-1);
    writer.set_style({.headings = true, .colours = true});
    writer.heading("PID");
    EXPECT_EQ(writer.buffer(), "\x1b[1mPID\x1b[0m\n");
    writer.buffer().clear();
    writer.set_style({.headings = false, .colours = true});
    Table(writer, {{"PID", 3}}, false).header();
    EXPECT_EQ(writer.buffer(), "");
}

}  // namespace
}  // namespace uscope::output
