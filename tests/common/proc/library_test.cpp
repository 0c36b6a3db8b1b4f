#include "proc/library.h"

#include <sys/socket.h>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

using tests::Child;
using tests::maps_line;
using tests::TempFolder;

// Returns the search paths of a machine that has only the files in `folder`.
SearchPaths places_in(const TempFolder &folder)
{
    return {folder / "proc", folder / "cache", {folder / "lib"}, folder / "bin"};
}

std::string path_or_error(const Result<FoundFile> &found)
{
    return found ? found->open_path : "error: " + found.error().text;
}

TEST(Library, FindsLibcInTheCache)
{
    auto found = find_file("c");
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_TRUE(found->path.ends_with("/libc.so.6"));
    EXPECT_EQ(found->open_path, std::filesystem::canonical(found->path));
    EXPECT_EQ(find_file("libc.so.6")->path, found->path);
}

TEST(Library, FindsAVersionInAFolder)
{
    TempFolder folder;
    std::string path = folder.write("lib/libssl.so.3", "");
    folder.write("lib/libssl3.so", "");
    EXPECT_EQ(path_or_error(find_file("ssl", {}, places_in(folder))), path);
    EXPECT_EQ(path_or_error(find_file("libssl", {}, places_in(folder))), path);
    EXPECT_EQ(path_or_error(find_file("libssl.so.3", {}, places_in(folder))), path);
}

TEST(Library, ResolvesAnExecutableInPath)
{
    TempFolder folder;
    std::string real = folder.write("bin/redis-check-rdb", "", 0755);
    folder.link("bin/redis-server", "redis-check-rdb");
    auto found = find_file("redis-server", {}, places_in(folder));
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->open_path, real);
    EXPECT_EQ(found->path, folder / "bin/redis-server");
}

TEST(Library, PassesOverWhatCannotBeExecutedInPath)
{
    TempFolder folder;
    folder.write("bin/tool", "", 0644);
    EXPECT_FALSE(find_file("tool", {}, places_in(folder)));
}

TEST(Library, SaysWhereItLookedAndWhatIsNear)
{
    auto found = find_file("libpthread.so.9");
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text.find("/etc/ld.so.cache"), std::string::npos) << found.error().text;
    EXPECT_NE(found.error().text.find("libpthread.so.0"), std::string::npos) << found.error().text;
}

TEST(Library, TakesARelativePathAsItIs)
{
    TempFolder folder;
    folder.write("hi", "");
    auto relative = std::filesystem::relative(folder / "hi").string();
    EXPECT_EQ(path_or_error(find_file("./" + relative)), "./" + relative);
    EXPECT_EQ(path_or_error(find_file("./no/such/file")),
              "error: cannot find ./no/such/file: No such file or directory");
}

TEST(Library, FindsWhatAProcessMaps)
{
    auto found = find_file("c", getpid());
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_TRUE(found->open_path.ends_with("/libc.so.6"));
    EXPECT_EQ(found->root, "");
}

TEST(Library, FindsAProcessesExecutable)
{
    auto exe = std::filesystem::read_symlink("/proc/self/exe");
    EXPECT_EQ(path_or_error(find_file(exe.filename().string(), getpid())), exe);
}

TEST(Library, FindsALibraryBeforeTheProgramOfItsName)
{
    TempFolder folder;
    std::string program = folder.write("shop", ""), stem = folder.write("shop.so", ""),
                library = folder.write("libshop.so.1", "");
    folder.write("proc/7/maps", maps_line(program, 0x1000) + maps_line(library, 0x3000));
    folder.write("proc/8/maps", maps_line(program, 0x1000) + maps_line(stem, 0x3000));
    for (const char *pid : {"7", "8"})
        folder.link(std::string("proc/") + pid + "/exe", program);
    EXPECT_EQ(path_or_error(find_file("shop", 7, places_in(folder))), library);
    EXPECT_EQ(path_or_error(find_file("shop", 8, places_in(folder))), program);
}

TEST(Library, FindsAnExecutableStartedThroughALink)
{
    TempFolder folder;
    std::string real = folder.copy("real", "/bin/cat"), link = folder.link("as-link", "real");
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid_t pid = vfork();
    if (pid == 0) {
        dup2(ends[1], 0);
        dup2(ends[1], 1);
        execl(link.c_str(), link.c_str(), nullptr);
        _exit(1);
    }
    char byte = 'x';  // when `cat` returns this byte, it is running
    ASSERT_EQ(write(ends[0], &byte, 1) + read(ends[0], &byte, 1), 2);
    auto found = find_file("as-link", pid);
    close(ends[0]);
    close(ends[1]);
    waitpid(pid, nullptr, 0);
    EXPECT_EQ(path_or_error(found), real);
}

TEST(Library, FindsOldGlibcNamesInMaps)
{
    TempFolder folder;
    std::string libc = folder.write("libc-2.31.so", "");
    std::string other = folder.write("libc-client.so.2007e", "");
    folder.write("proc/7/maps", maps_line(other, 0x1000) + maps_line(libc, 0x3000));
    EXPECT_EQ(path_or_error(find_file("c", 7, places_in(folder))), libc);
}

TEST(Library, FindsWhatALinkBesideTheMappedFileLeadsTo)
{
    TempFolder folder;
    std::string other = folder.write("libsqlite3.so.1.0.0", "");
    std::string sqlite = folder.write("libsqlite3.so.0.8.6", "");
    folder.link("libsqlite3.so.0", "libsqlite3.so.0.8.6");
    folder.link("proc/7/root", "/");
    folder.write("proc/7/maps", maps_line(other, 0x1000) + maps_line(sqlite, 0x3000));
    auto found = find_file("libsqlite3.so.0", 7, places_in(folder));
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->path, sqlite);
}

TEST(Library, FindsMuslInMapsAndFolders)
{
    TempFolder folder;
    std::string musl = folder.write("lib/ld-musl-x86_64.so.1", "");
    std::string other = folder.write("lib/libcrypto.so.3", "");
    folder.write("proc/7/maps", maps_line(other, 0x1000) + maps_line(musl, 0x3000));
    EXPECT_EQ(path_or_error(find_file("c", 7, places_in(folder))), musl);
    EXPECT_EQ(path_or_error(find_file("c", {}, places_in(folder))), musl);
    std::string glibc = folder.write("lib/libc.so.6", "");
    EXPECT_EQ(path_or_error(find_file("c", {}, places_in(folder))), glibc);

    std::string by_link = folder.write("libc.musl-x86_64.so.1", "");
    folder.write("proc/8/maps", maps_line(by_link, 0x1000));
    EXPECT_EQ(path_or_error(find_file("c", 8, places_in(folder))), by_link);
}

TEST(Library, SaysThatAProgramIsStatic)
{
    TempFolder folder;
    std::string program = folder.write("shop", "");
    folder.write("proc/7/maps", maps_line(program, 0x1000));
    folder.write("proc/7/comm", "shop\n");
    folder.link("proc/7/exe", program);
    EXPECT_EQ(path_or_error(find_file("c", 7, places_in(folder))),
              "error: process 7 (shop) is a static program and maps no c: the libraries that it "
              "uses are linked into it; use shop instead");
}

TEST(Library, RefusesWhatTheProcessDoesNotMap)
{
    TempFolder folder;
    std::string lib = folder.write("libssl.so.3", "");
    folder.write("lib/libcurl.so.4", "");
    folder.write("proc/7/maps", maps_line(lib, 0x1000));
    folder.write("proc/7/comm", "web\n");
    EXPECT_EQ(path_or_error(find_file("curl", 7, places_in(folder))),
              "error: process 7 (web) maps no executable file curl, libcurl.so* or curl.so*");
    EXPECT_EQ(
        path_or_error(find_file("libssl.so.4", 7, places_in(folder))),
        "error: process 7 (web) maps no executable file libssl.so.4, did you mean libssl.so.3?");
}

TEST(Library, FollowsLinksInsideTheProcessesRoot)
{
    TempFolder folder;
    folder.write("proc/7/maps", "");
    folder.link("proc/7/root", folder / "container");
    folder.link("proc/self/root", "/");
    folder.write("container/opt/app-2/bin/server", "");
    folder.link("container/opt/app", "/opt/app-2");  // absolute: from the container's root
    folder.link("container/usr/bin/server", "../../opt/app/bin/server");
    auto found = find_file("/usr/bin/server", 7, places_in(folder));
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->path, "/usr/bin/server");
    EXPECT_EQ(found->open_path, (folder / "proc/7/root") + "/opt/app-2/bin/server");
    EXPECT_EQ(found->root, folder / "proc/7/root");
}

TEST(Library, DoesNotFollowLinksForEver)
{
    TempFolder folder;
    folder.write("proc/7/maps", "");
    folder.link("proc/7/root", folder / "container");
    folder.link("proc/self/root", "/");
    folder.link("container/a", "/b");
    folder.link("container/b", "/a");
    EXPECT_FALSE(find_file("/a", 7, places_in(folder)));
}

TEST(Library, PrefersTheMappedFileToWhatStandsAtItsPathNow)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "map_files needs root";
    TempFolder folder;
    std::string path = folder.write("lib", "old");
    Child child([&] { return tests::map_code(path) != nullptr; });
    unlink(path.c_str());
    folder.write("lib", "new");
    auto found = find_file(path, child.pid());
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(read_file(found->open_path).value_or("?"), "old");
}

TEST(Library, TakesOurViewOfAChrootsPath)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "chroot needs root";
    TempFolder folder;
    std::string path = folder.write("lib", "inside");
    Child child([&] { return chroot(folder.path().c_str()) == 0 && tests::map_code("/lib"); });
    for (const std::string &name : {path, std::string("/lib")}) {
        auto found = find_file(name, child.pid());
        ASSERT_TRUE(found) << found.error().text;
        EXPECT_EQ(read_file(found->open_path).value_or("?"), "inside");
    }
}

}  // namespace
}  // namespace uscope::proc
