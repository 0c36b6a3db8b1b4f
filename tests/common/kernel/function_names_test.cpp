#include "kernel/function_names.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "proc/kallsyms.h"
#include "symbols/symbolize.h"

namespace uscope::kernel {
namespace {

std::string parsed(std::string_view text)
{
    auto frame = parse_kernel_name(text);
    return frame ? symbols::describe(*frame) : "nothing";
}

TEST(FunctionNames, AreParsed)
{
    EXPECT_EQ(parsed("vfs_read+0x0/0x350"), "vfs_read+0x0 [kernel]");
    EXPECT_EQ(parsed("do_io.isra.0+0x1a/0x80"), "do_io.isra.0+0x1a [kernel]");
    EXPECT_EQ(parsed("ext4_sync_file+0xff/0x3c0 [ext4]"), "ext4_sync_file+0xff [ext4]");
}

TEST(FunctionNames, OfBpfProgramsHaveTheModuleBpf)
{
    EXPECT_EQ(parsed("bpf_prog_6deef7357e7b4530_sample+0x5/0x60"),
              "bpf_prog_6deef7357e7b4530_sample+0x5 [bpf]");
    EXPECT_EQ(parsed("bpf_trampoline_6442536433+0x5/0x60"), "bpf_trampoline_6442536433+0x5 [bpf]");
    EXPECT_EQ(parsed("bpf_prog_test_run_syscall+0x5/0x60"),
              "bpf_prog_test_run_syscall+0x5 [kernel]");
    EXPECT_EQ(parsed("bpf_trampoline_link_prog+0x5/0x60"), "bpf_trampoline_link_prog+0x5 [kernel]");
}

TEST(FunctionNames, OtherTextsAreRefused)
{
    for (std::string_view text :
         {"", "0xffffffffffffffff", "+0x1/0x2", "vfs_read", "vfs_read+0x/0x1", "vfs_read+0x1",
          "vfs_read+0x1ffffffffffffffff/0x1", "vfs_read+0x1/0x2 [ext4"})
        EXPECT_EQ(parsed(text), "nothing") << text;
}

// Compares the names for every 16th kernel function, at its first byte and in its middle.
TEST(FunctionNames, AgreeWithKallsyms)
{
    std::map<uint64_t, std::set<std::string>> listed;
    proc::each_kernel_symbol("/proc", [&](const proc::KernelSymbol &symbol) {
        if (symbol.address != 0 && symbol.module.empty())
            listed[symbol.address].insert(std::string(symbol.name));
    });
    if (listed.empty())
        GTEST_SKIP() << "the kernel's addresses are hidden";
    FunctionNames names;
    size_t n = 0, asked = 0;
    for (auto entry = listed.begin(); std::next(entry) != listed.end(); ++entry) {
        if (n++ % 16 != 0 || *entry->second.begin() == "_etext")
            continue;
        uint64_t bytes = std::next(entry)->first - entry->first;
        for (uint64_t offset : {uint64_t(0), bytes / 2}) {
            const symbols::Frame &frame = names.find(entry->first + offset);
            if (!frame.known)  // an address of data, which some kernels do not name
                continue;
            ASSERT_TRUE(entry->second.contains(frame.function)) << frame.function;
            ASSERT_EQ(frame.offset, offset);
            ASSERT_EQ(frame.module, "[kernel]") << frame.function;
            asked++;
        }
    }
    EXPECT_GT(asked, 1'000u);
}

TEST(FunctionNames, NothingIsInvented)
{
    FunctionNames names;
    for (uint64_t address : {uint64_t(0), uint64_t(0x400000), UINT64_MAX})
        EXPECT_EQ(symbols::describe(names.find(address)), "[unknown] [kernel]");
}

}  // namespace
}  // namespace uscope::kernel
