#include <gtest/gtest.h>

#include "common/elf/searched.h"
#include "elf/functions.h"
#include "elf/variables.h"

namespace uscope::elf {
namespace {

TEST(AllFunctions, ListsEachAddressOnceInOrder)
{
    Built file = built({{"c", 24}, {"a", 8}, {"_Z1bv", 16}, {"__a", 8}});
    auto functions = all_functions(file.image(), own_symbols);
    ASSERT_TRUE(functions);
    ASSERT_EQ(functions->size(), 3u);
    EXPECT_EQ((*functions)[0].name, "a");
    EXPECT_EQ((*functions)[1].display, "b()");
    EXPECT_EQ((*functions)[2].file_offset, 24u);
}

TEST(AllFunctions, LeavesNamesMangledWhenAsked)
{
    Built file = built({{"_Z1bv", 16}});
    auto functions = all_functions(file.image(), {.debug_files = false, .demangle = false});
    ASSERT_TRUE(functions);
    EXPECT_EQ((*functions)[0].display, "");
}

TEST(AllFunctions, JoinsBothTables)
{
    ElfBuilder builder;
    builder.add_function("hidden", ElfBuilder::base + 8);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    builder.add_function("shown", ElfBuilder::base + 16);
    builder.add_symbol_table(".dynsym", SHT_DYNSYM);
    Built file(builder.build());
    EXPECT_EQ(all_functions(file.image(), own_symbols)->size(), 2u);
    EXPECT_EQ(found(file.image(), "shown"), Names{"shown"});
}

TEST(AllFunctions, FindsDynamicSymbolsWithoutSectionHeaders)
{
    OPEN_OR_SKIP(libz, "/lib/x86_64-linux-gnu/libz.so.1");
    std::string bytes(libz.bytes().text());
    memset(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(Elf64_Off));
    Built stripped(bytes);
    EXPECT_TRUE(stripped.image().sections().empty());
    EXPECT_EQ(found(stripped.image(), "*"), found(libz, "*"));
    EXPECT_EQ(found(stripped.image(), "deflate"), Names{"deflate"});
}

TEST(AllFunctions, SurvivesTablesThatLie)
{
    ElfBuilder builder;
    builder.add_function("good", ElfBuilder::base + 8);
    builder.add_function("cut", ElfBuilder::base + 16);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    auto with = [&](auto change) {
        ElfBuilder copy = builder;
        Built file(copy.build([&](ElfBuilder &b) { change(b.sections[1], b.sections[2]); }));
        auto functions = all_functions(file.image(), own_symbols);
        EXPECT_TRUE(functions);
        return functions->size();
    };
    using Header = Elf64_Shdr;
    EXPECT_EQ(with([](Header &, Header &) {}), 2u);
    EXPECT_EQ(with([](Header &strings, Header &) { strings.sh_size -= 1; }), 1u);
    EXPECT_EQ(with([](Header &strings, Header &) { strings.sh_size = UINT64_MAX; }), 0u);
    EXPECT_EQ(with([](Header &, Header &symbols) { symbols.sh_size = UINT64_MAX; }), 0u);
    EXPECT_EQ(with([](Header &, Header &symbols) { symbols.sh_link = 99; }), 0u);
    EXPECT_EQ(with([](Header &, Header &symbols) { symbols.sh_entsize = 0; }), 0u);
}

TEST(FindObject, FindsDataOnlyAndUnambiguously)
{
    ElfBuilder builder;
    builder.add_function("counter", 0x5000, STT_OBJECT);
    builder.add_function("label", 0x5008, STT_NOTYPE);
    builder.add_function("code", ElfBuilder::base, STT_FUNC);
    builder.add_function("twice", 0x5010, STT_OBJECT);
    builder.add_function("twice", 0x5018, STT_OBJECT);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    Built file(builder.build());
    EXPECT_EQ(find_object(file.image(), "counter", own_symbols), 0x5000u);
    EXPECT_EQ(find_object(file.image(), "label", own_symbols), 0x5008u);
    EXPECT_EQ(find_object(file.image(), "code", own_symbols), std::nullopt);
    EXPECT_EQ(find_object(file.image(), "twice", own_symbols), std::nullopt);
    EXPECT_EQ(find_object(file.image(), "count", own_symbols), std::nullopt);
}

TEST(FindVariable, KnowsTheManglingsOfCppAndRust)
{
    ElfBuilder builder;
    uint64_t at = 0x5000;
    for (const char *name :
         {"plain", "_ZL6hidden", "_ZN2ns7counterE", "_ZN2nsL5quietE", "_ZN2ns1K6memberE",
          "_ZN5crate3mod4NAME17h0123456789abcdefE", "_ZN2ns9counterE12E", "_ZN2ns7counterEv"})
        builder.add_function(name, at += 8, STT_OBJECT);
    builder.add_symbol_table(".symtab", SHT_SYMTAB);
    Built file(builder.build());
    auto find = [&](std::string_view name) {
        auto found = find_variable(file.image(), name, own_symbols);
        return found ? found->vaddr : 0;
    };
    EXPECT_EQ(find("plain"), 0x5008u);
    EXPECT_EQ(find("hidden"), 0x5010u);
    EXPECT_EQ(find("ns::counter"), 0x5018u);
    EXPECT_EQ(find("ns::quiet"), 0x5020u);
    EXPECT_EQ(find("ns::K::member"), 0x5028u);
    EXPECT_EQ(find("crate::mod::NAME"), 0x5030u);
    EXPECT_EQ(find("counter"), 0u);
    EXPECT_EQ(find("K::member"), 0u);
    EXPECT_EQ(find("ns::coun"), 0u);
}

}  // namespace
}  // namespace uscope::elf
