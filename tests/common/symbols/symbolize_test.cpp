#include "symbols/symbolize.h"

#include <dlfcn.h>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "base/format.h"
#include "common/proc/fixture.h"
#include "proc/maps.h"

namespace uscope::symbols::testing_names {

// A function whose address must be shown with the demangled name.
__attribute__((noinline)) int outer_function(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

}  // namespace uscope::symbols::testing_names

namespace uscope::symbols {
namespace {

using tests::Child;
using tests::TempFolder;

constexpr const char *library = "/lib/x86_64-linux-gnu/libz.so.1";

uint64_t address_of(auto *function)
{
    return reinterpret_cast<uint64_t>(function);
}

TEST(Describe, WritesAFrame)
{
    EXPECT_EQ(describe({"read", 0x1a, "libc.so.6", true}), "read+0x1a [libc.so.6]");
    EXPECT_EQ(describe({"read", 0x1a, "libc.so.6", true}, false), "read [libc.so.6]");
    EXPECT_EQ(describe({"do_sys_open", 1, "[kernel]", true}), "do_sys_open+0x1 [kernel]");
    EXPECT_EQ(describe({"LazyCompile:f", 2, "", true}), "LazyCompile:f+0x2");
    EXPECT_EQ(describe({"[unknown]", 0, "libz.so", false}), "[unknown] [libz.so]");
    EXPECT_EQ(describe({"[unknown]", 0, "", false}), "[unknown]");
}

TEST(UserSymbols, FindAFunctionByItsDemangledName)
{
    UserSymbols symbols;
    Frame frame = symbols.find(getpid(), address_of(&testing_names::outer_function) + 2);
    EXPECT_TRUE(frame.known);
    EXPECT_EQ(frame.function, "uscope::symbols::testing_names::outer_function(int)");
    EXPECT_EQ(frame.offset, 2u);
    EXPECT_EQ(frame.module, std::filesystem::read_symlink("/proc/self/exe").filename());
}

// As on a machine that compiles programs, runs each once, and removes it.
TEST(UserSymbols, ForgetFilesOfProcessesThatWereDropped)
{
    UserSymbols symbols;
    symbols.remember(getpid());
    for (uint64_t i = 0; i < 20000; i++) {
        proc::Mapping mapping = {.start = 0x400000, .end = 0x401000, .executable = true};
        mapping.file = {1, i + 1};
        mapping.path = "/nothing/" + std::to_string(i);
        symbols.add_mapping(pid_t(-1 - pid_t(i)), mapping);
        if (i % 1000 == 0) {  // processes that were not dropped keep their files
            EXPECT_TRUE(
                symbols.find(getpid(), address_of(&testing_names::outer_function) + 2).known);
        }
    }
    EXPECT_LE(symbols.file_count(), 10000u);
    EXPECT_TRUE(symbols.find(getpid(), address_of(&testing_names::outer_function) + 2).known);
}

TEST(UserSymbols, FindAnExportOfALibrary)
{
    UserSymbols symbols;
    Frame frame =
        symbols.find(getpid(), reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "getppid")));
    EXPECT_EQ(describe(frame), "getppid+0x0 [libc.so.6]");
}

TEST(UserSymbols, FindTheVdso)
{
    void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *function = vdso ? dlsym(vdso, "__vdso_clock_gettime") : nullptr;
    if (!function)
        GTEST_SKIP() << "no vdso";
    UserSymbols symbols;
    Frame frame = symbols.find(getpid(), reinterpret_cast<uint64_t>(function));
    EXPECT_EQ(describe(frame), "clock_gettime+0x0 [vdso]");
}

TEST(UserSymbols, KnowNothingOutsideOfTheMappings)
{
    UserSymbols symbols;
    EXPECT_EQ(describe(symbols.find(getpid(), 16)), "[unknown]");
    EXPECT_EQ(describe(symbols.find(999999999, 16)), "[unknown]");
    EXPECT_FALSE(symbols.find(getpid(), address_of(&errno)).known);
}

TEST(UserSymbols, ReadTheMapsAgainForALibraryLoadedLater)
{
    UserSymbols symbols;
    symbols.find(getpid(), address_of(&testing_names::outer_function));
    TempFolder folder;
    void *handle = dlopen(folder.copy("liblater.so", library).c_str(), RTLD_NOW);
    ASSERT_NE(handle, nullptr);
    auto address = reinterpret_cast<uint64_t>(dlsym(handle, "zlibVersion"));
    EXPECT_EQ(describe(symbols.find(getpid(), address)), "zlibVersion+0x0 [liblater.so]");
    dlclose(handle);
}

TEST(UserSymbols, OfAnEndedProcessStay)
{
    Child child([] { return true; });
    UserSymbols symbols;
    symbols.remember(child.pid());
    pid_t pid = child.pid();
    child.end();
    EXPECT_EQ(symbols.find(pid, address_of(&testing_names::outer_function)).function,
              "uscope::symbols::testing_names::outer_function(int)");
    symbols.forget(pid);
    EXPECT_FALSE(symbols.find(pid, address_of(&testing_names::outer_function)).known);
}

TEST(UserSymbols, OfAnEndedProcessStayWhenItsFileWasDeleted)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "map_files needs root";
    TempFolder folder;
    std::string path = folder.copy("libgone.so", library);
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    Child child([&] {
        void *handle = dlopen(path.c_str(), RTLD_NOW);
        void *function = handle ? dlsym(handle, "zlibVersion") : nullptr;
        return write(ends[1], &function, sizeof(function)) == sizeof(function) && function;
    });
    ASSERT_TRUE(child.ready());
    uint64_t address = 0;
    ASSERT_EQ(read(ends[0], &address, sizeof(address)), ssize_t(sizeof(address)));
    close(ends[0]);
    close(ends[1]);
    unlink(path.c_str());
    UserSymbols symbols;
    symbols.remember(child.pid());
    pid_t pid = child.pid();
    child.end();
    EXPECT_EQ(describe(symbols.find(pid, address)), "zlibVersion+0x0 [libgone.so]");
}

TEST(UserSymbols, TakeMappingsFromElsewhere)
{
    constexpr pid_t nobody = 999999999;
    UserSymbols symbols;
    auto mappings = proc::read_maps(getpid());
    for (const proc::Mapping &mapping : *mappings)
        symbols.add_mapping(nobody, mapping);
    EXPECT_EQ(symbols.find(nobody, address_of(&testing_names::outer_function)).function,
              "uscope::symbols::testing_names::outer_function(int)");
}

TEST(UserSymbols, LetALaterMappingCoverAnEarlierOne)
{
    constexpr pid_t nobody = 999999999;
    constexpr uint64_t page = 4096;
    TempFolder folder;
    proc::Mapping below, above;
    below.start = 0x10000;
    below.end = below.start + 8 * page;
    below.executable = true;
    below.file = proc::file_id(folder.write("below", "")).value();
    below.path = folder / "below";
    above = below;
    above.start += 2 * page;
    above.end = above.start + page;
    above.file = proc::file_id(folder.write("above", "")).value();
    above.path = folder / "above";

    UserSymbols symbols;
    symbols.add_mapping(nobody, below);
    symbols.add_mapping(nobody, above);
    EXPECT_EQ(symbols.find(nobody, above.start - 1).module, "below");
    EXPECT_EQ(symbols.find(nobody, above.start).module, "above");
    EXPECT_EQ(symbols.find(nobody, above.end - 1).module, "above");
    EXPECT_EQ(symbols.find(nobody, above.end).module, "below");
    EXPECT_EQ(symbols.find(nobody, below.end).module, "");
}

TEST(UserSymbols, KnowWhatWasMappedAtATime)
{
    constexpr pid_t nobody = 999999999, child = 999999998;
    TempFolder folder;
    proc::Mapping mapping;
    mapping.start = 0x10000;
    mapping.executable = true;
    UserSymbols symbols;
    auto map = [&](const std::string &name, uint64_t pages, uint64_t ts_ns) {
        mapping.end = mapping.start + pages * 4096;
        mapping.file = proc::file_id(folder.write(name, "")).value();
        mapping.path = folder / name;
        symbols.add_mapping(nobody, mapping, ts_ns);
    };
    auto at = [&](uint64_t offset, uint64_t ts_ns, pid_t pid) {
        return symbols.find(pid, mapping.start + offset, UserSymbols::Code::Instruction, ts_ns)
            .module;
    };
    map("red", 2, 100);
    EXPECT_EQ(at(0, 50, nobody), "red");  // no other file was ever mapped here
    map("green", 4, 200);
    map("blue", 1, 300);
    map("green", 4, 400);
    using Names = std::vector<std::pair<uint64_t, const char *>>;
    for (auto [ts_ns, name] : Names{{150, "red"},
                                    {199, "red"},
                                    {200, "green"},
                                    {299, "green"},
                                    {300, "blue"},
                                    {399, "blue"},
                                    {400, "green"},
                                    {0, "green"}})
        EXPECT_EQ(at(0, ts_ns, nobody), name) << ts_ns;
    EXPECT_EQ(at(2 * 4096, 250, nobody), "green");
    EXPECT_EQ(at(4 * 4096, 250, nobody), "");

    symbols.add_fork(child, nobody);
    map("red", 2, 500);
    EXPECT_EQ(at(0, 600, nobody), "red");
    EXPECT_EQ(at(0, 600, child), "green");
    EXPECT_EQ(at(0, 350, child), "blue");

    // After many later mappings, old ones are forgotten. Their addresses must not get wrong names.
    for (uint64_t i = 0; i < 2000; i++)
        map(i % 2 ? "red" : "blue", 1, 1000 + i);
    EXPECT_EQ(at(0, 350, nobody), "");
    EXPECT_EQ(at(0, 2997, nobody), "red");
    EXPECT_EQ(at(0, 2998, nobody), "blue");

    symbols.forget_past();
    EXPECT_EQ(at(0, 2998, nobody), "red");
}

TEST(UserSymbols, GiveAForkedChildItsParentsMappings)
{
    constexpr pid_t nobody = 999999999;
    UserSymbols symbols;
    symbols.remember(getpid());
    symbols.add_fork(nobody, getpid());
    EXPECT_EQ(symbols.find(nobody, address_of(&testing_names::outer_function)).function,
              "uscope::symbols::testing_names::outer_function(int)");
}

TEST(UserSymbols, FindCodeMadeAtRunTime)
{
    void *code = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::string path = fmt::format("/tmp/perf-{}.map", getpid());
    auto write_map = [&](const char *mode, uint64_t offset, const char *name) {
        FILE *file = fopen(path.c_str(), mode);
        fputs(fmt::format("{:x} 10 {}\n", address_of(code) + offset, name).c_str(), file);
        fclose(file);
    };
    UserSymbols symbols;
    EXPECT_EQ(describe(symbols.find(getpid(), address_of(code))), "[unknown]");
    write_map("w", 0, "first one");
    EXPECT_EQ(describe(symbols.find(getpid(), address_of(code) + 4)), "first one+0x4");
    write_map("a", 0x100, "second");
    EXPECT_EQ(describe(symbols.find(getpid(), address_of(code) + 0x100)), "second+0x0");
    // Another file is mapped at the same address.
    write_map("a", 0, "third");
    std::string now;
    for (int i = 0; i < 100 && now != "third+0x4"; i++) {
        usleep(10000);
        now = describe(symbols.find(getpid(), address_of(code) + 4));
    }
    EXPECT_EQ(now, "third+0x4");
    unlink(path.c_str());
    munmap(code, 4096);
}

TEST(UserSymbols, FindPerfMapsInTheProcessesOwnRootAndByItsOwnId)
{
    TempFolder folder;
    folder.write("7/maps", "10000-11000 r-xp 00000000 00:00 0 \n");
    folder.write("7/status", "NSpid:\t7\t3\n");
    folder.link("7/root", folder / "container");
    folder.link("self/root", "/");
    folder.write("container/tmp/perf-3.map", "10000 10 inside\n");
    UserSymbols symbols(folder.path());
    EXPECT_EQ(describe(symbols.find(7, 0x10008)), "inside+0x8");
}

}  // namespace
}  // namespace uscope::symbols
