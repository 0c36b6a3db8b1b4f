#include <gtest/gtest.h>

#include "base/fd.h"
#include "base/format.h"
#include "common/proc/fixture.h"
#include "symbols/symbolize.h"

namespace uscope::symbols {
namespace {

using tests::TempFolder;

constexpr const char *kallsyms_text =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T first\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 t second.isra.0\n"
    "ffffffff81000180 d data\n"
    "ffffffff81000200 W third\n"
    "ffffffff81000300 T _etext\n"
    "ffffffffc0201000 t in_module\t[nf_tables]\n"
    "ffffffffc0200000 t before\t[nf_tables]\n";

std::string text_at(KernelSymbols &symbols, uint64_t address)
{
    return describe(symbols.find(address));
}

TEST(KernelSymbols, ReachToTheNextOne)
{
    TempFolder folder;
    folder.write("kallsyms", kallsyms_text);
    KernelSymbols symbols(folder.path());
    EXPECT_EQ(text_at(symbols, 0xffffffff81000000), "first+0x0 [kernel]");
    EXPECT_EQ(text_at(symbols, 0xffffffff810001ff), "second.isra.0+0xff [kernel]");
    EXPECT_EQ(text_at(symbols, 0xffffffff81000200), "third+0x0 [kernel]");
}

TEST(KernelSymbols, NameTheirModule)
{
    TempFolder folder;
    folder.write("kallsyms", kallsyms_text);
    KernelSymbols symbols(folder.path());
    EXPECT_EQ(text_at(symbols, 0xffffffffc0201004), "in_module+0x4 [nf_tables]");
    EXPECT_EQ(text_at(symbols, 0xffffffffc0200010), "before+0x10 [nf_tables]");
}

TEST(KernelSymbols, InventNothingOutside)
{
    TempFolder folder;
    folder.write("kallsyms", kallsyms_text);
    KernelSymbols symbols(folder.path());
    for (uint64_t address :
         {uint64_t(0), uint64_t(0xffffffff80ffffff), uint64_t(0xffffffff81000300),
          uint64_t(0xffffffffa0000000), uint64_t(0xffffffffd0000000), UINT64_MAX})
        EXPECT_EQ(text_at(symbols, address), "[unknown] [kernel]");
}

TEST(KernelSymbols, AreUnknownWhenHidden)
{
    TempFolder folder;
    folder.write("kallsyms", "0000000000000000 T _text\n0000000000000000 T do_sys_open\n");
    KernelSymbols symbols(folder.path());
    EXPECT_EQ(text_at(symbols, 0xffffffff81000000), "[hidden: kernel.kptr_restrict] [kernel]");
    KernelSymbols none(folder / "nothing");
    EXPECT_EQ(text_at(none, 0xffffffff81000000), "[unknown] [kernel]");
}

TEST(KernelSymbols, ReadAFileLargerThanTheBuffer)
{
    TempFolder folder;
    std::string text;
    constexpr uint64_t base = 0xffffffff81000000, count = 5'000;
    for (uint64_t i = 0; i < count; i++)
        text += fmt::format("{:016x} T function_{}\n", base + 16 * i, i);
    folder.write("kallsyms", text);
    KernelSymbols symbols(folder.path());
    for (uint64_t i = 0; i < count; i++)
        ASSERT_EQ(symbols.find(base + 16 * i).function, fmt::format("function_{}", i));
}

TEST(KernelSymbols, FindEveryFunctionOfThisKernel)
{
    std::string text = read_file("/proc/kallsyms").value_or("");
    KernelSymbols symbols;
    size_t line_start = 0, found = 0;
    for (size_t end; (end = text.find('\n', line_start)) != text.npos; line_start = end + 1) {
        uint64_t address = strtoull(text.c_str() + line_start, nullptr, 16);
        char type = text[line_start + 17];
        std::string name = text.substr(line_start + 19, end - line_start - 19);
        if (address == 0 || type != 'T' || name.find('\t') != name.npos || name == "_etext")
            continue;
        Frame frame = symbols.find(address);
        ASSERT_TRUE(frame.known && frame.offset == 0) << name << " " << frame.function;
        found++;
    }
    if (found == 0)
        GTEST_SKIP() << "the kernel's addresses are hidden";
    EXPECT_GT(found, 10'000u);
}

}  // namespace
}  // namespace uscope::symbols
