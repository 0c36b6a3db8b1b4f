#include "proc/kallsyms.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/proc/fixture.h"

namespace uscope::proc {
namespace {

TEST(Kallsyms, AFunctionOfTheKernel)
{
    auto symbol = parse_kernel_symbol("ffffffff810a1b50 T do_sys_open");
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->address, 0xffffffff810a1b50u);
    EXPECT_EQ(symbol->name, "do_sys_open");
    EXPECT_EQ(symbol->module, "");
    EXPECT_TRUE(symbol->is_code);
}

TEST(Kallsyms, AFunctionOfAModule)
{
    auto symbol = parse_kernel_symbol("ffffffffc0201000 t nf_hook\t[nf_tables]");
    ASSERT_TRUE(symbol);
    EXPECT_EQ(symbol->name, "nf_hook");
    EXPECT_EQ(symbol->module, "nf_tables");
}

TEST(Kallsyms, DataIsNoCode)
{
    EXPECT_FALSE(parse_kernel_symbol("ffffffff81000180 d data")->is_code);
    EXPECT_TRUE(parse_kernel_symbol("ffffffff81000180 W weak")->is_code);
}

TEST(Kallsyms, WhatIsNoLineIsNothing)
{
    for (const char *line : {"", "x", "ffffffff81000180", "ffffffff81000180 ", "ffffffff81000180 T",
                             "ffffffff81000180 T ", "ffffffffc0201000 t f\t[", " T name",
                             "ffffffffc0201000 t f\tm", "1ffffffffffffffff T name"})
        EXPECT_FALSE(parse_kernel_symbol(line)) << line;
}

TEST(Kallsyms, AllLinesOfAFileLargerThanTheBuffer)
{
    std::string text;
    for (int i = 0; i < 3000; i++)
        text += fmt::format("ffffffff8{:07x} T function_{}\n", i * 16, i);
    tests::TempFolder folder;
    folder.write("kallsyms", text);
    size_t count = 0;
    each_kernel_symbol(folder.path(), [&](const KernelSymbol &symbol) {
        EXPECT_EQ(symbol.name, fmt::format("function_{}", count));
        count++;
    });
    EXPECT_EQ(count, 3000u);
}

}  // namespace
}  // namespace uscope::proc
