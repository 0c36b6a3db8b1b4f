#include "base/clock.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace uscope;

namespace {

// Creates a folder for a process as in /proc. `offsets`: the contents of timens_offsets; `own`: the
// name of its time namespace; `children`: that of the time namespace for new children.
class Process {
  public:
    Process(const std::string &offsets, const std::string &own, const std::string &children)
    {
        mkdir((folder_ + "/ns").c_str(), 0700);
        std::ofstream(folder_ + "/timens_offsets") << offsets;
        EXPECT_EQ(symlink(own.c_str(), (folder_ + "/ns/time").c_str()), 0);
        EXPECT_EQ(symlink(children.c_str(), (folder_ + "/ns/time_for_children").c_str()), 0);
    }
    ~Process()
    {
        for (const char *name : {"/timens_offsets", "/ns/time", "/ns/time_for_children"})
            unlink((folder_ + name).c_str());
        rmdir((folder_ + "/ns").c_str());
        rmdir(folder_.c_str());
    }
    int64_t offset_ns() const { return monotonic_offset_ns(folder_); }

  private:
    char name_[32] = "/tmp/clock_test.XXXXXX";
    std::string folder_ = mkdtemp(name_);
};

TEST(MonotonicOffset, IsThatOfTheTimeNamespace)
{
    EXPECT_EQ(Process("monotonic           0         0\nboottime            0         0\n",
                      "time:[4026531834]", "time:[4026531834]")
                  .offset_ns(),
              0);
    EXPECT_EQ(Process("monotonic      500000         7\nboottime            9         0\n",
                      "time:[4026532000]", "time:[4026532000]")
                  .offset_ns(),
              500'000'000'000'007);
    EXPECT_EQ(Process("monotonic       -1000 500000000\nboottime            0         0\n",
                      "time:[4026532000]", "time:[4026532000]")
                  .offset_ns(),
              -999'500'000'000);
}

TEST(MonotonicOffset, IsNotThatOfTheNamespaceForChildren)
{
    EXPECT_EQ(Process("monotonic      500000         0\n", "time:[4026531834]", "time:[4026532000]")
                  .offset_ns(),
              0);
}

TEST(MonotonicOffset, IsNoneWhereTheKernelHasNoTimeNamespaces)
{
    EXPECT_EQ(monotonic_offset_ns("/nonexistent"), 0);
}

}  // namespace
