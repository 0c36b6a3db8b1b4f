#include "base/recording.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

namespace uscope {
namespace {

class RecordingTest : public testing::Test {
  protected:
    RecordingTest()
    {
        std::string name = testing::TempDir() + "uscope-recording.XXXXXX";
        folder_ = mkdtemp(name.data());
        path_ = folder_ + "/recording";
        setenv("USCOPE_RECORD", path_.c_str(), 1);
    }
    ~RecordingTest() override
    {
        unsetenv("USCOPE_RECORD");
        unlink(path_.c_str());
        rmdir(folder_.c_str());
    }

    std::string folder_, path_;
};

TEST_F(RecordingTest, IsReadAsItWasWritten)
{
    ASSERT_TRUE(start_recording());
    EXPECT_TRUE(is_recording());
    EXPECT_EQ(getenv("USCOPE_RECORD"), nullptr);
    std::string large(100'000, 'x');
    add_to_recording("one", {Bytes("two "), Bytes("parts")});
    add_to_recording("none", {});
    add_to_recording("large", {Bytes(large)});
    ASSERT_TRUE(end_recording());
    EXPECT_FALSE(is_recording());
    add_to_recording("late", {});

    struct stat info;
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::string file = *read_file(path_);
    auto entries = read_recording(Bytes(file));
    ASSERT_TRUE(entries) << entries.error().text;
    ASSERT_EQ(entries->size(), 3u);
    EXPECT_EQ((*entries)[0].what, "one");
    EXPECT_EQ((*entries)[0].data.text(), "two parts");
    EXPECT_TRUE((*entries)[1].data.empty());
    EXPECT_EQ((*entries)[2].data.text(), large);
    for (size_t missing : {1, 100'001, 100'010})
        EXPECT_FALSE(read_recording(Bytes(file.data(), file.size() - missing))) << missing;
    EXPECT_FALSE(read_recording(Bytes("uscope recording 0\n")));
}

TEST_F(RecordingTest, ReplacesNothingAndFollowsNoLink)
{
    ASSERT_EQ(symlink((folder_ + "/elsewhere").c_str(), path_.c_str()), 0);
    auto started = start_recording();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().text, "cannot record to " + path_ + " (USCOPE_RECORD): File exists");
    EXPECT_NE(access((folder_ + "/elsewhere").c_str(), F_OK), 0);
    EXPECT_FALSE(is_recording());
}

TEST_F(RecordingTest, IsAskedFor)
{
    unsetenv("USCOPE_RECORD");
    ASSERT_TRUE(start_recording());
    EXPECT_FALSE(is_recording());
    add_to_recording("nothing", {});
    EXPECT_TRUE(end_recording());
}

TEST_F(RecordingTest, SaysWhatCouldNotBeWritten)
{
    setenv("USCOPE_RECORD", (folder_ + "/none/recording").c_str(), 1);
    EXPECT_FALSE(start_recording());
}

}  // namespace
}  // namespace uscope
