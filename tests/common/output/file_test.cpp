#include "output/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"

namespace uscope::output {
namespace {

class NewFileTest : public testing::Test {
  protected:
    NewFileTest()
    {
        char name[] = "/tmp/uscope-file.XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/out";
    }
    ~NewFileTest() override { [[maybe_unused]] int status = system(("rm -rf " + folder_).c_str()); }

    void write_other(const std::string &path, const char *text)
    {
        Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0640));
        ASSERT_EQ(write(file.get(), text, strlen(text)), ssize_t(strlen(text)));
    }

    std::string folder_, path_;
};

TEST_F(NewFileTest, IsThereWhole)
{
    ASSERT_TRUE(write_whole(path_, "text"));
    EXPECT_EQ(*read_file(path_), "text");
}

TEST_F(NewFileTest, ReplacesAndKeepsTheMode)
{
    write_other(path_, "old and longer");
    struct stat before, after;
    stat(path_.c_str(), &before);
    ASSERT_TRUE(write_whole(path_, "new"));
    EXPECT_EQ(*read_file(path_), "new");
    stat(path_.c_str(), &after);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_NE(after.st_ino, before.st_ino);
}

TEST_F(NewFileTest, LeavesNothingWhenGivenUp)
{
    {
        auto file = NewFile::create(path_);
        ASSERT_TRUE(file);
    }
    ASSERT_TRUE(check_new_file(path_, "--out"));
    EXPECT_EQ(rmdir(folder_.c_str()), 0) << "it is not empty";
}

TEST_F(NewFileTest, LeavesAFileUnchangedUntilItIsPut)
{
    write_other(path_, "old and longer");
    chmod(path_.c_str(), 0666);
    chmod(folder_.c_str(), 0555);  // takes no new file
    uid_t user = geteuid(), nobody = user ? user : 65534;
    ASSERT_EQ(setresuid(nobody, nobody, user), 0);
    EXPECT_TRUE(NewFile::create(path_));
    EXPECT_EQ(*read_file(path_), "old and longer");
    EXPECT_TRUE(write_whole(path_, "new"));
    EXPECT_EQ(*read_file(path_), "new");
    ASSERT_EQ(setresuid(user, user, user), 0);
    chmod(folder_.c_str(), 0755);
}

TEST_F(NewFileTest, FollowsItsOwnLinks)
{
    write_other(folder_ + "/real", "old");
    ASSERT_EQ(symlink("real", path_.c_str()), 0);
    ASSERT_TRUE(write_whole(path_, "new"));
    EXPECT_EQ(*read_file(folder_ + "/real"), "new");
    struct stat info;
    ASSERT_EQ(lstat(path_.c_str(), &info), 0);
    EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST_F(NewFileTest, FollowsNoLinkOfAnotherUser)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can make another user's link";
    write_other(folder_ + "/real", "old");
    ASSERT_EQ(symlink("real", path_.c_str()), 0);
    ASSERT_EQ(lchown(path_.c_str(), 65534, 65534), 0);
    auto written = write_whole(path_, "new");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().text,
              path_ + " is a symbolic link of another user: name the file itself");
    EXPECT_EQ(*read_file(folder_ + "/real"), "old");
}

TEST_F(NewFileTest, EndsWithLinksThatLeadToThemselves)
{
    ASSERT_EQ(symlink("out", path_.c_str()), 0);
    auto written = write_whole(path_, "new");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().text, path_ + " is a symbolic link that leads to itself");
}

TEST_F(NewFileTest, WritesIntoWhatIsNoRegularFile)
{
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    Fd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK));
    auto file = NewFile::create(path_);
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->is_regular());
    auto fd = std::move(*file).put();
    ASSERT_TRUE(fd);
    EXPECT_EQ(write(fd->get(), "x", 1), 1);
    char byte;
    EXPECT_EQ(read(reader.get(), &byte, 1), 1);
    EXPECT_EQ(check_new_file(path_, "--out").error().text,
              path_ + " is not a regular file, which --out needs");
}

TEST_F(NewFileTest, WritesThroughDescriptors)
{
    write_other(path_, "old");
    Fd file(open(path_.c_str(), O_RDWR));
    ASSERT_TRUE(write_whole(fmt::format("/proc/self/fd/{}", file.get()), "new"));
    EXPECT_EQ(*read_file(path_), "new");
    ASSERT_TRUE(write_whole(fmt::format("/dev/fd/{}", file.get()), "again"));
    EXPECT_EQ(*read_file(path_), "again");
}

TEST_F(NewFileTest, SaysWhatCannotBeWritten)
{
    EXPECT_EQ(write_whole(folder_ + "/no/out", "").error().text,
              fmt::format("cannot write {}/no/out: No such file or directory", folder_));
}

}  // namespace
}  // namespace uscope::output
