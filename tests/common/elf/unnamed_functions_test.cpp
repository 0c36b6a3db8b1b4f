#include "elf/unnamed_functions.h"

#include <gtest/gtest.h>

#include "common/elf/searched.h"
#include "elf/function_names.h"

namespace uscope::elf {
namespace {

std::string word(uint32_t value)
{
    return {reinterpret_cast<const char *>(&value), sizeof value};
}
std::string address(uint64_t value)
{
    return {reinterpret_cast<const char *>(&value), sizeof value};
}

// An unwinding table (.debug_frame) that describes code of 16 bytes at each of these addresses,
// which starts as a called function does; at `moved`, as a moved part: with a frame on the stack.
std::string frames(const std::vector<uint64_t> &starts, uint64_t moved)
{
    using namespace std::string_literals;
    std::string common = word(0xffffffff) + "\x04\x00\x08\x00"s;  // version, sizes
    common += "\x01\x78\x10\x0c\x07\x08\x90\x01"s;                // CFA = rsp + 8
    std::string table = word(uint32_t(common.size())) + common;
    auto add = [&](uint64_t start, const std::string &program) {
        table += word(uint32_t(20 + program.size())) + word(0) + address(start) + address(16);
        table += program;
    };
    for (uint64_t start : starts)
        add(start, "");
    add(moved, "\x0e\x20"s);  // CFA = rsp + 32
    return table;
}

constexpr uint64_t base = ElfBuilder::base;

// Functions at 0x40 ("named"), 0x50, 0x60, 0x80; a part of one at 0x70; of 0x90 ("long", 0x20
// bytes), 0xa0 is the middle.
Built file(bool with_symbols)
{
    ElfBuilder builder;
    auto at = [](uint64_t offset) { return base + offset; };
    builder.add_section(
        ".debug_frame", SHT_PROGBITS,
        frames({at(0x80), at(0x40), at(0x50), at(0x60), at(0x90), at(0xa0)}, at(0x70)));
    if (with_symbols) {
        builder.add_function("_Z5namedi", at(0x40));
        builder.add_function("long", at(0x90), STT_FUNC, 0x20);
        builder.add_symbol_table(".symtab", SHT_SYMTAB);
    }
    return Built(builder.build());
}

TEST(UnnamedFunctions, AreFoundByTheAddressOfTheirStart)
{
    for (bool with_symbols : {false, true}) {
        Built built = file(with_symbols);
        auto functions = find_functions(built.image(), "+0x10050", own_symbols);
        ASSERT_TRUE(functions) << functions.error().text;
        ASSERT_EQ(functions->size(), 1u);
        EXPECT_EQ(functions->front().name, "+0x10050");
        EXPECT_EQ(functions->front().display, "+0x10050");
        EXPECT_EQ(functions->front().vaddr, base + 0x50);
        EXPECT_EQ(functions->front().file_offset, 0x50u);
        EXPECT_EQ(functions->front().size, 16u);
        EXPECT_EQ(found(built.image(), "+65616"), Names{"+0x10050"});
    }
}

TEST(UnnamedFunctions, AFunctionWithANameIsShownWithIt)
{
    EXPECT_EQ(found(file(false).image(), "+0x10040"), Names{"+0x10040"});
    auto functions = find_functions(file(true).image(), "+0x10040", own_symbols);
    ASSERT_TRUE(functions) << functions.error().text;
    ASSERT_EQ(functions->size(), 1u);
    EXPECT_EQ(functions->front().display, "named(int)");
}

TEST(UnnamedFunctions, PatternsMeanThoseWithoutANameOnly)
{
    EXPECT_EQ(found(file(false).image(), "+*"),
              (Names{"+0x10040", "+0x10050", "+0x10060", "+0x10080", "+0x10090", "+0x100a0"}));
    EXPECT_EQ(found(file(true).image(), "+*"), (Names{"+0x10050", "+0x10060", "+0x10080"}));
    EXPECT_EQ(found(file(true).image(), "+0x100[56]0"), (Names{"+0x10050", "+0x10060"}));
    EXPECT_EQ(found(file(true).image(), "*"), (Names{"_Z5namedi", "long"}));
}

TEST(UnnamedFunctions, RegularExpressionsFindThemOnRequest)
{
    auto regex = Regex::compile("\\+0x100[56]|long");
    ASSERT_TRUE(regex);
    Built built = file(true);
    auto names = [&](bool unnamed) {
        SymbolOptions options = own_symbols;
        options.unnamed = unnamed;
        Names names;
        auto functions = find_functions(built.image(), *regex, options);
        for (const Function &function : functions.value_or(std::vector<Function>()))
            names.push_back(function.name);
        return names;
    };
    EXPECT_EQ(names(false), Names{"long"});
    EXPECT_EQ(names(true), (Names{"long", "+0x10050", "+0x10060"}));
}

TEST(UnnamedFunctions, OtherAddressesAreRefusedWithTheNextOneBelow)
{
    Built stripped = file(false), whole = file(true);
    EXPECT_EQ(found(stripped.image(), "+0x10052"),
              Names{"error: no function of x.so is known to start at 0x10052; the next one below "
                    "starts at +0x10050"});
    EXPECT_EQ(found(whole.image(), "+0x10048"),
              Names{"error: no function of x.so is known to start at 0x10048; the next one below "
                    "starts at +0x10040 (named(int))"});
    // In the middle of a function that has a name and two records.
    EXPECT_EQ(found(whole.image(), "+0x100a0"),
              Names{"error: no function of x.so is known to start at 0x100a0; the next one below "
                    "starts at +0x10090 (long)"});
    EXPECT_EQ(
        found(stripped.image(), "+0x10070"),
        Names{"error: no function of x.so is known to start at 0x10070 (the code there is not "
              "called: it is a moved part of a function, or _start); the next one below "
              "starts at +0x10060"});
    EXPECT_EQ(found(stripped.image(), "+0x10020"),
              Names{"error: no function of x.so is known to start at 0x10020; no function below it "
                    "is known"});
    EXPECT_EQ(found(stripped.image(), "+0x20"), Names{"error: x.so has no code at address 0x20"});
}

TEST(UnnamedFunctions, WithoutATableNoneAreKnown)
{
    Built bare = built({{"f", 0x40}});
    EXPECT_EQ(found(bare.image(), "+0x10040"), Names{"f"});
    EXPECT_EQ(found(bare.image(), "+*"),
              Names{"error: '+*' matches no function of x.so: it has no unwinding tables "
                    "(.eh_frame), which show where functions without a name start"});
    EXPECT_EQ(found(file(false).image(), "+0x2*"),
              Names{"error: no function of x.so that has no name matches '+0x2*'"});
}

TEST(UnnamedFunctions, StubsAreNone)
{
    ElfBuilder builder;
    size_t frames_at = builder.add_section(".debug_frame", SHT_PROGBITS,
                                           frames({base + 0x40, base + 0x50}, base + 0x60));
    builder.add_section(".plt.got", SHT_PROGBITS, std::string(16, '\x90'));
    builder.sections.back().sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    ASSERT_EQ(frames_at, 1u);
    Built built(builder.build([](ElfBuilder &file) { file.sections[2].sh_addr = base + 0x50; }));
    EXPECT_EQ(found(built.image(), "+*"), Names{"+0x10040"});
}

TEST(UnnamedFunctions, CompleteTheirAddresses)
{
    Built built = file(true);
    auto image = built.image();
    std::vector<std::string> names;
    for (const NamedFunction &function : function_names(image, "+0x1005", own_symbols))
        names.push_back(function.name);
    EXPECT_EQ(names, Names{"+0x10050"});
    EXPECT_EQ(function_names(image, "+", own_symbols).size(), 3u);
}

}  // namespace
}  // namespace uscope::elf
