#include "resolve/kernel_functions.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "common/proc/fixture.h"

namespace uscope::resolve {
namespace {

class TestKernel {
  public:
    TestKernel()
    {
        folder_.write("devices/kprobe/type", "7\n");
        folder_.write("proc/kallsyms",
                      "ffffffff81000000 T vfs_read\n"
                      "ffffffff81000100 T vfs_write\n"
                      "ffffffff81000100 t vfs_write\n"  // a second one
                      "ffffffff81000200 t vfs_hidden\n"
                      "ffffffff81000300 d vfs_data\n"
                      "ffffffff81000400 t twice\n"
                      "ffffffff81000500 t twice\n"
                      "ffffffff81000600 t half\n"
                      "ffffffff81000700 t half\n"
                      "ffffffff81000800 t changed.isra.0\n"
                      "ffffffff81000900 T __x64_sys_openat\n"
                      "ffffffff81000a00 T __arm64_sys_openat\n"
                      "ffffffffc0000000 t vfs_read\t[overlay]\n"
                      "ffffffffc0000100 t hook\t[overlay]\n");
        folder_.write("tracefs/available_filter_functions",
                      "vfs_read\nvfs_write\ntwice\ntwice\nhalf\nchanged.isra.0\n"
                      "__x64_sys_openat\n__arm64_sys_openat\nhook [overlay]\n");
    }
    KernelFunctions::Folders folders() const
    {
        return {folder_ / "proc", folder_ / "devices", folder_ / "tracefs"};
    }
    const tests::TempFolder &folder() const { return folder_; }

    std::string error(const std::string &name) const
    {
        auto found = find(name);
        return found ? "found" : found.error().text;
    }
    Result<KernelMatches> find(const std::string &name) const
    {
        return TRY(KernelFunctions::read(folders())).find(name);
    }

  private:
    tests::TempFolder folder_;
};

std::vector<std::string> names(const KernelMatches &functions)
{
    std::vector<std::string> names;
    for (const KernelFunction &function : functions.functions)
        names.push_back(function.name);
    return names;
}

TEST(KernelFunctions, OneByItsName)
{
    TestKernel kernel;
    auto found = kernel.find("vfs_write");
    ASSERT_TRUE(found) << found.error().text;
    ASSERT_EQ(found->functions.size(), 1u);
    EXPECT_EQ(found->functions[0].address, 0xffffffff81000100u);
    EXPECT_EQ(found->functions[0].module, "");
}

TEST(KernelFunctions, OneOfAModule)
{
    TestKernel kernel;
    auto found = kernel.find("hook");
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(found->functions[0].module, "overlay");
}

TEST(KernelFunctions, OneThatCannotBeTracedIsLeftOut)
{
    TestKernel kernel;
    auto found = kernel.find("vfs_read");  // the list has no vfs_read of overlay
    ASSERT_TRUE(found) << found.error().text;
    ASSERT_EQ(found->functions.size(), 1u);
    EXPECT_EQ(found->functions[0].module, "");
    EXPECT_EQ(found->refused, 1u);
}

TEST(KernelFunctions, AllOfTheSameName)
{
    TestKernel kernel;
    EXPECT_EQ(kernel.find("twice")->functions.size(), 2u);
}

TEST(KernelFunctions, ASystemCallsEntry)
{
    TestKernel kernel;
    auto found = kernel.find("sys_openat");
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_TRUE(found->functions[0].name.ends_with("_sys_openat"));
}

TEST(KernelFunctions, SaysWhyThereIsNone)
{
    TestKernel kernel;
    EXPECT_TRUE(kernel.error("vfs_raed")
                    .starts_with("the kernel has no function vfs_raed, did you mean "
                                 "vfs_read"));
    EXPECT_EQ(kernel.error("quite_another"),
              "the kernel has no function quite_another, or it is "
              "always inlined (for a function of libc, use c:quite_another)");
    EXPECT_TRUE(kernel.error("vfs_data").starts_with("the kernel has no function vfs_data"));
    EXPECT_TRUE(
        kernel.error("vfs_hidden").starts_with("the kernel's function vfs_hidden cannot be"));
    EXPECT_EQ(kernel.error("half"),
              "the kernel has 2 functions half, not all of which can be traced");
    EXPECT_EQ(
        kernel.error("changed"),
        "the kernel has only changed copies of changed, made by the compiler: changed.isra.0");
}

TEST(KernelFunctions, ThoseThatMatch)
{
    TestKernel kernel;
    auto is_vfs = [](std::string_view name) { return glob_match("vfs_*", name); };
    auto found = KernelFunctions::read(kernel.folders())->find(is_vfs, "vfs_*");
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(names(*found), (std::vector<std::string>{"vfs_read", "vfs_write"}));
    EXPECT_EQ(found->refused, 2u);
}

TEST(KernelFunctions, NoneThatMatches)
{
    TestKernel kernel;
    auto find = [&](const char *pattern) {
        return KernelFunctions::read(kernel.folders())
            ->find([=](std::string_view name) { return glob_match(pattern, name); }, pattern);
    };
    EXPECT_EQ(find("no*").error().text, "no function of the kernel matches no*");
    EXPECT_EQ(find("*hidden").error().text,
              "none of the kernel's 1 functions that match *hidden can be traced");
}

TEST(KernelFunctions, WithoutAListAllAreTried)
{
    TestKernel kernel;
    KernelFunctions::Folders folders = kernel.folders();
    folders.tracefs = kernel.folder() / "none";
    EXPECT_TRUE(KernelFunctions::read(folders)->find("vfs_hidden"));
}

TEST(KernelFunctions, HiddenAddresses)
{
    TestKernel kernel;
    kernel.folder().write("proc/kallsyms", "0000000000000000 T vfs_read\n");
    EXPECT_TRUE(
        kernel.error("vfs_read").starts_with("the addresses of the kernel's functions are"));
}

TEST(KernelFunctions, AddressesHiddenFromRoot)
{
    TestKernel kernel;
    kernel.folder().write("proc/kallsyms", "0000000000000000 T vfs_read\n");
    kernel.folder().write("proc/sys/kernel/kptr_restrict", "2\n");
    EXPECT_TRUE(
        kernel.error("vfs_read")
            .ends_with("hidden from everybody: sysctl kernel.kptr_restrict=1 shows them to root"));
}

TEST(KernelFunctions, AKernelWithoutKprobes)
{
    TestKernel kernel;
    KernelFunctions::Folders folders = kernel.folders();
    folders.devices = kernel.folder() / "none";
    auto found = KernelFunctions::read(folders);
    ASSERT_FALSE(found);
    EXPECT_TRUE(found.error().text.starts_with("this kernel has no kprobes"));
}

}  // namespace
}  // namespace uscope::resolve
