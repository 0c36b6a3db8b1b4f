#include "proc/maps.h"

#include <algorithm>

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

using tests::Child;
using tests::map_code;
using tests::TempFolder;

constexpr const char *any_library = "/lib/x86_64-linux-gnu/libz.so.1";

// Returns the mapped object whose path contains `part`.
std::optional<MappedObject> object_with(pid_t pid, const std::string &part)
{
    auto objects = mapped_objects(pid);
    if (objects)
        for (MappedObject &object : *objects)
            if (object.path.find(part) != std::string::npos)
                return object;
    return std::nullopt;
}

TEST(Maps, ParsesAMappedFile)
{
    auto maps =
        parse_maps("7f12a4026000-7f12a417b000 r-xp 00026000 fe:00 247498    /usr/lib/x.so\n");
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].start, 0x7f12a4026000u);
    EXPECT_EQ(maps[0].end, 0x7f12a417b000u);
    EXPECT_EQ(maps[0].offset, 0x26000u);
    EXPECT_TRUE(maps[0].readable && maps[0].executable && !maps[0].writable);
    EXPECT_EQ(maps[0].file, (FileId{makedev(0xfe, 0), 247498}));
    EXPECT_EQ(maps[0].path, "/usr/lib/x.so");
    EXPECT_FALSE(maps[0].deleted);
}

TEST(Maps, ParsesMemoryWithoutFile)
{
    auto maps =
        parse_maps("1000-2000 rw-p 00000000 00:00 0 \n2000-3000 rw-p 00000000 00:00 0   [heap]\n");
    ASSERT_EQ(maps.size(), 2u);
    EXPECT_FALSE(maps[0].is_file());
    EXPECT_EQ(maps[0].path, "");
    EXPECT_EQ(maps[1].path, "[heap]");
}

TEST(Maps, KeepsSpacesAndDecodesNewlinesInPaths)
{
    auto maps = parse_maps("1000-2000 r--p 00000000 fe:00 7    /a b  c\\012d\\\\e\n");
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].path, "/a b  c\nd\\\\e");
}

TEST(Maps, RemovesDeletedFromThePath)
{
    auto maps = parse_maps("1000-2000 r--p 00000000 00:01 7    /memfd:x y (deleted)\n");
    ASSERT_EQ(maps.size(), 1u);
    EXPECT_EQ(maps[0].path, "/memfd:x y");
    EXPECT_TRUE(maps[0].deleted);
}

TEST(Maps, SkipsMalformedLines)
{
    EXPECT_EQ(
        parse_maps("\nx\n2000-1000 r--p 0 0:0 0 \n1000-2000 r--p 0 0:0\n1000-2000 r--p 0 0:0 0 ")
            .size(),
        1u);
}

TEST(Maps, ReadsTheMappingsOfThisProcess)
{
    auto maps = read_maps(getpid());
    ASSERT_TRUE(maps);
    auto here = reinterpret_cast<uint64_t>(&object_with);
    auto found = std::find_if(maps->begin(), maps->end(),
                              [&](auto &m) { return m.start <= here && here < m.end; });
    ASSERT_NE(found, maps->end());
    EXPECT_TRUE(found->executable);
    EXPECT_EQ(found->file, file_id("/proc/self/exe"));
}

TEST(Maps, FailsIfTheProcessDoesNotExist)
{
    auto maps = read_maps(999999999);
    ASSERT_FALSE(maps);
    EXPECT_EQ(maps.error().text, "there is no process 999999999");
}

TEST(Maps, OpensAnOrdinaryFileByItsPath)
{
    TempFolder folder;
    std::string path = folder.copy("lib", any_library);
    Child child([&] { return map_code(path) != nullptr; });
    auto object = object_with(child.pid(), path);
    ASSERT_TRUE(object);
    EXPECT_EQ(object->open_path, path);
    EXPECT_FALSE(object->deleted);
}

TEST(Maps, OpensAReplacedFileAndNotItsReplacement)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "map_files needs root";
    TempFolder folder;
    std::string path = folder.write("lib", "old");
    Child child([&] { return map_code(path) != nullptr; });
    unlink(path.c_str());
    folder.write("lib", "new");
    auto object = object_with(child.pid(), path);
    ASSERT_TRUE(object);
    EXPECT_TRUE(object->deleted);
    EXPECT_EQ(object->path, path);
    EXPECT_EQ(read_file(object->open_path).value_or("?"), "old");
}

TEST(Maps, OpensAMemfdWhoseDescriptorIsClosed)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "map_files needs root";
    Child child([] {
        int fd = memfd_create("uscope-probe", MFD_CLOEXEC);
        bool ok = write(fd, "inside", 6) == 6 && map_code(fd);
        close(fd);
        return ok;
    });
    auto object = object_with(child.pid(), "memfd:uscope-probe");
    ASSERT_TRUE(object);
    EXPECT_TRUE(object->deleted);
    EXPECT_EQ(read_file(object->open_path).value_or("?"), "inside");
}

TEST(Maps, OpensAFileWhoseNameHasANewline)
{
    TempFolder folder;
    std::string path = folder.write("two\nlines", "inside");
    Child child([&] { return map_code(path) != nullptr; });
    auto object = object_with(child.pid(), "two");
    ASSERT_TRUE(object);
    EXPECT_EQ(object->path, path);
    EXPECT_EQ(read_file(object->open_path).value_or("?"), "inside");
}

TEST(Maps, OpensTheFilesOfAChroot)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "chroot needs root";
    TempFolder folder;
    folder.write("lib", "inside");
    Child child(
        [&] { return chroot(folder.path().c_str()) == 0 && chdir("/") == 0 && map_code("/lib"); });
    ASSERT_TRUE(child.ready());
    auto object = object_with(child.pid(), folder.path());  // the path is one from our root
    ASSERT_TRUE(object);
    EXPECT_EQ(read_file(object->open_path).value_or("?"), "inside");
}

// Acts like a container engine: mounts an overlay in a new mount namespace, and makes it the root.
bool enter_container(const TempFolder &folder)
{
    std::string options =
        fmt::format("lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work", folder.path());
    std::string root = folder / "root";
    for (const char *name : {"upper", "work", "root"})
        mkdir((folder / name).c_str(), 0755);
    return unshare(CLONE_NEWNS) == 0 &&
           mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("overlay", root.c_str(), "overlay", 0, options.c_str()) == 0 &&
           chdir(root.c_str()) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

TEST(Maps, OpensTheFilesOfAContainer)
{
    TempFolder folder;
    folder.write("lower/opt/lib", "inside");
    Child child([&] { return enter_container(folder) && map_code("/opt/lib"); });
    if (!child.ready())
        GTEST_SKIP() << "cannot make a mount namespace with an overlay";
    auto object = object_with(child.pid(), "/opt/lib");
    ASSERT_TRUE(object);
    EXPECT_EQ(object->path, "/opt/lib");  // the path in the container
    EXPECT_EQ(read_file(object->open_path).value_or("?"), "inside");
}

TEST(Maps, WithoutMapFilesFindsADeletedFileAmongOpenFiles)
{
    TempFolder folder;
    std::string file = folder.write("file", "inside");
    folder.link("proc/7/fd/3", "/dev/null");
    folder.link("proc/7/fd/4", file);
    Mapping mapping = parse_maps(tests::maps_line(file, 0x1000, "r-xp", "/gone (deleted)")).at(0);
    EXPECT_EQ(open_path(7, mapping, folder / "proc"), folder / "proc/7/fd/4");
}

TEST(Maps, WithoutMapFilesGoesThroughTheRootOfAnotherNamespace)
{
    TempFolder folder;
    std::string file = folder.write("container/opt/lib", "inside");
    folder.link("proc/7/root", folder / "container");
    folder.link("proc/self/root", "/");
    Mapping mapping = parse_maps(tests::maps_line(file, 0x1000, "r-xp", "/opt/lib")).at(0);
    EXPECT_EQ(open_path(7, mapping, folder / "proc"), (folder / "proc/7/root") + "/opt/lib");
}

TEST(Maps, RejectsAnotherFileWithTheSamePath)
{
    TempFolder folder;
    std::string ours = folder.write("ours", ""), theirs = folder.write("theirs", "");
    Mapping mapping = parse_maps(tests::maps_line(theirs, 0x1000, "r-xp", ours)).at(0);
    EXPECT_EQ(open_path(7, mapping, folder / "proc"), std::nullopt);
}

TEST(Maps, JoinsTheMappingsOfAFileAndLeavesOutDevices)
{
    TempFolder folder;
    std::string file = folder.write("file", "");
    folder.write("proc/7/maps", tests::maps_line(file, 0x1000, "r--p") +
                                    tests::maps_line("/dev/null", 0x3000) +
                                    tests::maps_line(file, 0x5000, "r-xp"));
    auto objects = mapped_objects(7, folder / "proc");
    ASSERT_TRUE(objects);
    ASSERT_EQ(objects->size(), 1u);
    EXPECT_EQ(objects->at(0).mappings.size(), 2u);
    EXPECT_EQ(objects->at(0).open_path, file);
}

TEST(Maps, FindsTheAddressOfAFileOffset)
{
    MappedObject object;
    object.mappings = parse_maps(
        "1000-3000 r-xp 00000000 fe:00 7 /x\n"
        "5000-6000 rw-p 00001000 fe:00 7 /x\n");
    EXPECT_EQ(object.address_of(0x1234), 0x2234u);
    EXPECT_EQ(object.address_of(0x1234, true), 0x5234u);
    EXPECT_EQ(object.address_of(0x2000), std::nullopt);
}

}  // namespace
}  // namespace uscope::proc
