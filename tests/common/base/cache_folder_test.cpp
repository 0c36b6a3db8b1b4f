#include "base/cache_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace uscope;

namespace {

class CacheFolderTest : public testing::Test {
  protected:
    CacheFolderTest()
    {
        char name[] = "/tmp/uscope-cache.XXXXXX";
        parent = mkdtemp(name);
    }
    ~CacheFolderTest() override { std::filesystem::remove_all(parent); }
    bool keep(const std::string &name, const std::string &text,
              const CacheFolder::Limits &limits = {.files = 8})
    {
        auto file = cache().create();
        EXPECT_TRUE(file.fd);
        EXPECT_EQ(write(file.fd.get(), text.data(), text.size()), ssize_t(text.size()));
        return CacheFolder::keep(std::move(file), name, limits);
    }
    std::string text_of(const std::string &name) const
    {
        char text[64];
        Fd file = cache().open(name);
        ssize_t length = file ? read(file.get(), text, sizeof(text)) : 0;
        return {text, size_t(length)};
    }
    void set_time(const std::string &name, time_t seconds) const
    {
        timespec times[2] = {{seconds, 0}, {seconds, 0}};
        ASSERT_EQ(utimensat(AT_FDCWD, cache().path_of(name).c_str(), times, 0), 0);
    }
    size_t count() const
    {
        auto entries = std::filesystem::directory_iterator(cache().path());
        return size_t(std::distance(begin(entries), end(entries)));
    }
    CacheFolder cache() const { return CacheFolder(parent + "/a/b"); }
    std::string parent;
};

TEST_F(CacheFolderTest, AFileAppearsWhenItIsComplete)
{
    EXPECT_FALSE(cache().open("x"));
    CacheFolder::discard(cache().create());
    EXPECT_EQ(count(), 0u);
    EXPECT_TRUE(keep("x", "first"));
    EXPECT_EQ(text_of("x"), "first");
    EXPECT_TRUE(keep("x", "second"));
    EXPECT_EQ(text_of("x"), "second");
    EXPECT_EQ(count(), 1u);
    cache().remove("x");
    EXPECT_FALSE(cache().open("x"));
}

TEST_F(CacheFolderTest, RemovesTheOldestFilesUntilAllAreWithinTheLimits)
{
    for (int i = 0; i < 6; i++) {
        EXPECT_TRUE(keep(std::to_string(i), "ten bytes!"));
        set_time(std::to_string(i), i == 0 ? 9000 : 1000 + i);
    }
    EXPECT_TRUE(keep("by count", "ten bytes!", {.files = 6}));
    EXPECT_FALSE(cache().open("1"));
    EXPECT_EQ(count(), 6u);
    EXPECT_TRUE(keep("by size", "ten bytes!", {.files = 100, .bytes = 35}));
    EXPECT_EQ(count(), 3u);
    EXPECT_EQ(text_of("0") + text_of("by count") + text_of("by size"),
              "ten bytes!ten bytes!ten bytes!");
}

TEST_F(CacheFolderTest, IgnoresWhatOthersMayWrite)
{
    EXPECT_TRUE(keep("x", "text"));
    ASSERT_EQ(chmod(cache().path_of("x").c_str(), 0666), 0);
    EXPECT_FALSE(cache().open("x"));
    ASSERT_EQ(chmod(cache().path_of("x").c_str(), 0600), 0);
    EXPECT_TRUE(cache().open("x"));
    ASSERT_EQ(chmod(cache().path().c_str(), 0777), 0);
    EXPECT_FALSE(cache().open("x"));
    EXPECT_FALSE(cache().create().fd);
}

}  // namespace
