#include "probe/overlay.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

namespace uscope::probe {
namespace {

TEST(LowerFile, IsInTheFirstLayerThatHasIt)
{
    tests::TempFolder folder;
    std::string path = folder.path();
    folder.write("b/bin/octi", "");
    folder.write("c/bin/octi", "");
    std::string mountinfo =
        "97 1 0:36 / / rw - overlay overlay rw,lowerdir=/other,upperdir=/u,workdir=/w\n"
        "98 97 0:37 / /merged rw,relatime - overlay overlay rw,lowerdir=" +
        path + "/a:" + path + "/b:" + path + "/c,upperdir=/u,workdir=/w\n";
    EXPECT_EQ(lower_file(mountinfo, "/merged/bin/octi", {""}), path + "/b/bin/octi");
    EXPECT_EQ(lower_file(mountinfo, "/merged/bin/none", {""}), "");
    EXPECT_EQ(lower_file(mountinfo, "/bin/octi", {""}), "");
    EXPECT_EQ(lower_file("", "/merged/bin/octi", {""}), "");
}

TEST(LowerFile, MayBeBelowTheProcesssRoot)
{
    tests::TempFolder folder;
    folder.write("layer/octi", "");
    std::string mountinfo = "98 97 0:37 / / rw - overlay overlay rw,lowerdir=/layer,upperdir=/u\n";
    EXPECT_EQ(lower_file(mountinfo, "/octi", {"/nonexistent", folder.path()}),
              folder.path() + "/layer/octi");
}

}  // namespace
}  // namespace uscope::probe
