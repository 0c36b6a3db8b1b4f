#include "elf/pclntab.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "common/elf/elf_builder.h"

namespace uscope::elf {
namespace {

using Words = std::vector<uint64_t>;

template <class T>
void put_number(std::string &bytes, size_t at, T value)
{
    bytes.resize(std::max(bytes.size(), at + sizeof value));
    memcpy(bytes.data() + at, &value, sizeof value);
}

constexpr uint64_t text = ElfBuilder::base + 0x40;  // any code: the builder's segment is executable

// Three functions of 16 bytes each, main.one, main.two (after a gap), and memmove in assembly, as
// Go 1.18 and newer write them.
struct Table {
    uint32_t magic = 0xfffffff1;
    uint64_t text_start = text;
    uint64_t count = 4;

    std::string build() const
    {
        constexpr uint64_t names = 80, functions = 128, more = 64;
        uint64_t flags_at = magic == 0xfffffff1 ? 41 : 37;
        std::string bytes;
        put_number(bytes, 0, magic);
        put_number(bytes, 6, uint16_t{0x0801});
        for (uint64_t word : {count, uint64_t{0}, text_start, names, uint64_t{0}, uint64_t{0},
                              uint64_t{0}, functions})
            put_number(bytes, bytes.size(), word);
        bytes.resize(names);
        bytes += std::string("main.one\0main.two\0memmove\0", 26);
        for (uint32_t i = 0; i < 4; i++) {
            put_number(bytes, functions + i * 8, i * 16);
            put_number(bytes, functions + i * 8 + 4, uint32_t(i == 1 ? 0 : more + i * 48));
            put_number(bytes, functions + more + i * 48, i * 16);
            put_number(bytes, functions + more + i * 48 + 4,
                       uint32_t(i == 0   ? 0
                                : i == 2 ? 9
                                         : 18));
            put_number(bytes, functions + more + i * 48 + flags_at, uint8_t(i == 3 ? 4 : 0));
        }
        put_number(bytes, functions + 32, uint32_t{64});
        return bytes;
    }
};

// Returns "main.one 0+16" for each function: its offset and size; "a" marks assembly.
std::string functions_of(const std::string &file)
{
    auto image = Image::parse(Bytes(file), "x");
    EXPECT_TRUE(image.has_value());
    auto table = PclnTable::find(*image);
    if (!table)
        return "-";
    std::string list;
    table->each([&](const Symbol &symbol) {
        EXPECT_TRUE(symbol.is_function);
        list += fmt::format("{} {}+{}{}, ", symbol.name, symbol.vaddr - text, symbol.size,
                            symbol.is_old_version ? "a" : "");
    });
    return list;
}

std::string file_of(const std::string &table, const char *section = ".gopclntab")
{
    ElfBuilder builder;
    builder.add_section(section, SHT_PROGBITS, table);
    builder.add_section(".room", SHT_PROGBITS, std::string(256, '\xcc'));
    return builder.build();
}

constexpr auto all = "main.one 0+16, main.two 32+16, memmove 48+16a, ";

TEST(PclnTable, HasFunctionsOfGo118AndGo120)
{
    EXPECT_EQ(functions_of(file_of(Table{}.build())), all);
    EXPECT_EQ(functions_of(file_of(Table{.magic = 0xfffffff0}.build())), all);
}

TEST(PclnTable, HasFunctionsOfGo12AndGo116)
{
    for (bool is_new : {false, true}) {
        uint64_t functions = is_new ? 128 : 16, from = is_new ? 128 : 0, names = is_new ? 80 : 0;
        std::string bytes;
        put_number(bytes, 0, is_new ? 0xfffffffau : 0xfffffffbu);
        put_number(bytes, 6, uint16_t{0x0801});
        put_number(bytes, 8, uint64_t{2});
        if (is_new) {
            put_number(bytes, 8 + 2 * 8, names);
            put_number(bytes, 8 + 6 * 8, functions);
        }
        for (uint64_t i = 0; i < 2; i++) {
            put_number(bytes, functions + i * 16, text + i * 16);
            put_number(bytes, functions + i * 16 + 8, 96 + i * 32);
            put_number(bytes, from + 96 + i * 32, text + i * 16);
            put_number(bytes, from + 96 + i * 32 + 8, uint32_t(200 - names + i * 9));
        }
        put_number(bytes, functions + 32, text + 40);
        bytes.resize(std::max<size_t>(bytes.size(), 300));
        bytes.replace(200, 18, std::string("main.one\0main.two\0", 18));
        EXPECT_EQ(functions_of(file_of(bytes)), "main.one 0+16, main.two 16+24, ") << is_new;
    }
}

std::string names_holding(const PclnTable &table, std::string_view part)
{
    std::string list;
    table.each_containing(part,
                          [&](const Symbol &symbol) { list += fmt::format("{} ", symbol.name); });
    return list;
}

TEST(PclnTable, IsSearchedByPartsOfNames)
{
    std::string file = file_of(Table{}.build());
    auto image = Image::parse(Bytes(file), "x");
    auto table = PclnTable::find(*image);
    ASSERT_TRUE(table.has_value());
    EXPECT_EQ(names_holding(*table, "main."), "main.one main.two ");
    EXPECT_EQ(names_holding(*table, "main.two"), "main.two ");
    EXPECT_EQ(names_holding(*table, "e"), "main.one memmove ");
    EXPECT_EQ(names_holding(*table, "m"), "main.one main.two memmove ")
        << "several times in a name";
    EXPECT_EQ(names_holding(*table, "main.three"), "");
    table->keep_containing("main.");
    EXPECT_EQ(names_holding(*table, "main.two"), "main.one main.two ") << "what was kept";
    EXPECT_EQ(names_holding(*table, "mem"), "memmove ") << "what was not";
}

TEST(PclnTable, IsFoundByItsMagicNumber)
{
    ElfBuilder builder;
    builder.add_segment(PT_LOAD, PF_R);
    builder.add_section(".data.rel.ro", SHT_PROGBITS,
                        std::string("\xf1\xff\xff\xff\0\0\1\x08 only so", 16) + Table{}.build());
    std::string file = builder.build([](ElfBuilder &made) {
        made.segments[1].p_vaddr = ElfBuilder::base + 0x100000;
        made.segments[1].p_filesz = made.segments[1].p_memsz = made.segments[0].p_filesz;
    });
    EXPECT_EQ(functions_of(file), all);
}

// Since Go 1.26, the table's header lacks the address of the code. Returns the module data, which
// have it.
std::string module_of(uint64_t table, uint64_t start)
{
    std::string module(24 * 8, '\0');
    put_number(module, 0, table);
    put_number(module, 8, table + 80);
    put_number(module, 16 * 8, table + 128);
    put_number(module, 20 * 8, text);
    put_number(module, 22 * 8, start);
    return module;
}

std::string file_with_module(uint64_t start)
{
    std::string table = Table{.text_start = 0}.build();
    auto build = [&](uint64_t table_at) {
        ElfBuilder builder;
        builder.segments[0].p_flags |= PF_W;
        builder.add_section(".gopclntab", SHT_PROGBITS, table);
        builder.add_section(".go.module", SHT_PROGBITS,
                            module_of(0, start) + module_of(table_at, start));
        uint64_t at = 0;
        std::string file = builder.build([&](ElfBuilder &made) { at = made.sections[1].sh_addr; });
        return std::pair(file, at);
    };
    return build(build(0).second).first;
}

TEST(PclnTable, FindsTheTextByTheModuleWhereTheHeaderDoesNotSayIt)
{
    EXPECT_EQ(functions_of(file_with_module(text)), all);
    EXPECT_EQ(functions_of(file_with_module(text + 16)), "-") << "contradicts the first function";
    EXPECT_EQ(functions_of(file_with_module(0)), "-");
}

TEST(PclnTable, MayHaveEmptyFunctions)
{
    std::string table = Table{}.build();
    put_number(table, 128 + 8, uint32_t{32});  // main.one now extends to main.two
    EXPECT_EQ(functions_of(file_of(table)), "main.one 0+32, main.two 32+16, memmove 48+16a, ");
    put_number(table, 128 + 8, uint32_t{33});
    EXPECT_EQ(functions_of(file_of(table)), "-") << "not in the order of addresses";
}

// A program with main.framed as Go 1.19 compiles it, with its pcsp table (code address -> depth of
// the stack); runtime.mcall, an assembly function that switches stacks and has a frame; and an
// assembly function without a frame.
struct Framed {
    static constexpr uint64_t start = ElfBuilder::base + 0x78;
    std::string code = std::string(
        "\x49\x3b\x66\x10\x76\x3f"   // cmp 0x10(%r14),%rsp; jbe
        "\x48\x83\xec\x18"           // +6   sub $0x18,%rsp
        "\x48\x89\x6c\x24\x10"       // +10  mov %rbp,0x10(%rsp)
        "\x48\x8d\x6c\x24\x10"       // +15  lea 0x10(%rsp),%rbp
        "\xe8\0\0\0\0"               // +20  call
        "\x48\x8b\x6c\x24\x10"       // +25  mov 0x10(%rsp),%rbp
        "\x48\x83\xc4\x18\xc3\xcc",  // +30  add $0x18,%rsp; +34 ret
        36);

    std::string table(std::string_view depths, uint8_t flags, std::string_view name) const
    {
        constexpr uint64_t names = 80, values = 128, functions = 192, more = 32;
        std::string bytes;
        put_number(bytes, 0, 0xfffffff1u);
        put_number(bytes, 6, uint16_t{0x0801});
        for (uint64_t word :
             {uint64_t{1}, uint64_t{0}, start, names, uint64_t{0}, uint64_t{0}, values, functions})
            put_number(bytes, bytes.size(), word);
        bytes.resize(names);
        bytes += name;
        bytes.resize(values + 1);
        bytes += depths;
        bytes.resize(functions + more + 64);
        put_number(bytes, functions + 4, uint32_t{more});
        put_number(bytes, functions + 8, uint32_t{36});
        put_number(bytes, functions + more + 16, uint32_t{1});
        put_number(bytes, functions + more + 41, flags);
        return bytes;
    }

    // Returns the rule at an offset in the code: "sp+32 ra-8 fp-16" means that the CFA is the stack
    // pointer + 32, and that the return address and the frame pointer are saved 8 and 16 below the
    // CFA. "" if there is no rule.
    std::string frame(uint64_t at, bool is_exact = true, uint8_t flags = 0,
                      std::string_view name = "main.framed",
                      std::string_view depths = std::string_view("\x02\x0a\x30\x18\x2f\x02\0",
                                                                 7)) const
    {
        ElfBuilder builder;
        builder.add_section(".text", SHT_PROGBITS, code);
        builder.add_section(".gopclntab", SHT_PROGBITS, table(depths, flags, name));
        std::string file = builder.build();
        auto image = Image::parse(Bytes(file), "x");
        auto table = PclnTable::find(*image);
        EXPECT_TRUE(table.has_value());
        auto found = table ? table->frame(*image, start + at, is_exact) : std::nullopt;
        if (!found)
            return "";
        const FrameRow &row = found->row.row;
        auto fp = row.registers[6];
        return fmt::format(
            "{}+{} ra{}{}{}", row.cfa_register == 7 ? "sp" : "fp", row.cfa_offset,
            row.return_address().value,
            fp.kind == SavedRegister::Kind::AtCfa ? fmt::format(" fp{}", fp.value) : "",
            found->is_top ? " top" : "");
    }
};

TEST(PclnTable, SaysAtEachInstructionWhereTheFrameIs)
{
    Framed program;
    EXPECT_EQ(program.frame(0), "sp+8 ra-8");
    EXPECT_EQ(program.frame(9), "sp+8 ra-8");
    EXPECT_EQ(program.frame(10), "sp+32 ra-8") << "the frame pointer is not saved yet";
    EXPECT_EQ(program.frame(15), "sp+32 ra-8 fp-16");
    EXPECT_EQ(program.frame(25, false), "sp+32 ra-8 fp-16");
    EXPECT_EQ(program.frame(30), "sp+32 ra-8 fp-16");
    EXPECT_EQ(program.frame(34), "sp+8 ra-8");
    EXPECT_EQ(program.frame(36), "") << "no function";
    EXPECT_EQ(program.frame(25, false, 1), "sp+32 ra-8 fp-16 top");
}

TEST(PclnTable, GoesByTheFramePointerWhereTheStackIsAnother)
{
    Framed program;
    EXPECT_EQ(program.frame(25, false, 2), "fp+16 ra-8 fp-16");
    EXPECT_EQ(program.frame(25, true, 2), "") << "it may have been restored";
    program.code[14] = 8;  // the code no longer saves the frame pointer
    EXPECT_EQ(program.frame(25, false), "sp+32 ra-8");
    EXPECT_EQ(program.frame(25, false, 2), "");
    EXPECT_EQ(program.frame(25, false, 2, "runtime.mcall"), "fp+16 ra-8 top");
}

TEST(PclnTable, MayHaveDamagedFrames)
{
    Framed program;
    using namespace std::string_view_literals;
    for (auto depths :
         {"\0"sv, "\x02\x00"sv, "\x01\x0a"sv, "\x02\x0a\0"sv, "\xff\xff\xff\xff\xff\x7f\x20"sv,
          "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv})
        EXPECT_EQ(program.frame(12, true, 0, "main.framed", depths), "");
}

TEST(PclnTable, ThatIsDamagedIsNone)
{
    EXPECT_EQ(functions_of(file_of("")), "-");
    EXPECT_EQ(functions_of(file_of(Table{.magic = 0xfffffff2}.build())), "-");
    EXPECT_EQ(functions_of(file_of(Table{.text_start = 0x1234}.build())), "-") << "no code there";
    EXPECT_EQ(functions_of(file_of(Table{.count = 0}.build())), "-");
    EXPECT_EQ(functions_of(file_of(Table{.count = 5}.build())), "-") << "the last one ends before";
    EXPECT_EQ(functions_of(file_of(Table{.count = uint64_t{1} << 60}.build())), "-");
    std::string whole = Table{}.build();
    for (size_t length = 0; length < whole.size(); length++) {
        ElfBuilder builder;
        builder.add_section(".gopclntab", SHT_PROGBITS, whole.substr(0, length));
        functions_of(builder.build());
    }
}

}  // namespace
}  // namespace uscope::elf
