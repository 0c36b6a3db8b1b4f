#include "probe/readers.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

using namespace uscope;

namespace {

// Each test has a child process that maps the second page of a file with three pages.
class Readers : public testing::Test {
  protected:
    bool finds(int protection, int flags, uint64_t probe)
    {
        tests::Child child([&] {
            int fd = open(path_.c_str(), O_RDWR | O_CLOEXEC);
            return mmap(nullptr, 4096, protection, flags, fd, 4096) != MAP_FAILED;
        });
        EXPECT_TRUE(child.ready());
        auto readers = probe::readers_of({{path_, {100, probe}}}, {child.pid()});
        if (readers.empty())
            return false;
        EXPECT_EQ(readers[0].pid, child.pid());
        EXPECT_EQ(readers[0].path, path_);
        EXPECT_FALSE(readers[0].is_instrumenter);
        return true;
    }

    tests::TempFolder folder_;
    std::string path_ = folder_.write("file", std::string(3 * 4096, 'x'));
};

TEST_F(Readers, HaveTheCodeWithoutExecutingIt)
{
    EXPECT_TRUE(finds(PROT_READ, MAP_PRIVATE, 4096));
    EXPECT_TRUE(finds(PROT_READ, MAP_PRIVATE, 8191));
    EXPECT_FALSE(finds(PROT_READ, MAP_PRIVATE, 8192));
    EXPECT_FALSE(finds(PROT_READ | PROT_EXEC, MAP_PRIVATE, 4096));
}

TEST_F(Readers, AreWhereTheKernelWritesBreakpoints)
{
    EXPECT_FALSE(finds(PROT_READ, MAP_SHARED, 4096));
    EXPECT_FALSE(finds(PROT_READ | PROT_WRITE, MAP_PRIVATE, 4096));
    EXPECT_FALSE(finds(PROT_NONE, MAP_PRIVATE, 4096));
}

}  // namespace
