#include "proc/replaced.h"

#include <gtest/gtest.h>

#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

TEST(RunningFormer, IsWhatExecutesADeletedFileOfThatPath)
{
    tests::TempFolder folder;
    std::string place = "55d0c0a00000-55d0c0a01000 r-xp 00000000 08:01 181    ";
    folder.write("3/maps", place + "/usr/bin/octi\n");
    folder.write("4/maps", place + "/usr/bin/octi (deleted)\n" + place + "/usr/lib/libfest.so\n");
    folder.write("5/maps", place + "/opt/usr/bin/octi (deleted)\n");
    folder.write("6/maps",
                 "7f0000000000-7f0000001000 r--p 00000000 08:01 181    /usr/bin/octi (deleted)\n");
    folder.write("7/status", "");
    EXPECT_EQ(running_former("/usr/bin/octi", folder.path()), std::vector<pid_t>{4});
    EXPECT_TRUE(running_former("/usr/lib/libfest.so", folder.path()).empty());
}

TEST(RunningFormer, HasOurMounts)
{
    tests::TempFolder folder;
    for (const char *process : {"3", "4"})
        folder.write(
            std::string(process) + "/maps",
            "55d0c0a00000-55d0c0a01000 r-xp 00000000 08:01 181    /usr/bin/octi (deleted)\n");
    folder.write("self/ns/mnt", "");
    folder.write("4/ns/mnt", "");
    std::filesystem::create_directories(folder / "3/ns");
    std::filesystem::create_hard_link(folder / "self/ns/mnt", folder / "3/ns/mnt");
    EXPECT_EQ(running_former("/usr/bin/octi", folder.path()), std::vector<pid_t>{3});
}

}  // namespace
}  // namespace uscope::proc
