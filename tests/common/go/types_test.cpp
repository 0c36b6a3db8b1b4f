#include "go/types.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"

namespace uscope::go {
namespace {

template <class T>
void put(std::string &bytes, size_t at, T value)
{
    bytes.resize(std::max(bytes.size(), at + sizeof value));
    memcpy(bytes.data() + at, &value, sizeof value);
}

// A program with one function, and types: the first is 64 bytes behind their start. (The file is
// built twice, for the places of its sections.)
struct Program {
    std::string version = "\x08go1.23.5";
    uint64_t types_word = 37;
    int32_t name_at = 200;
    uint8_t flags = 2;
    std::string name = std::string("\x01\x13", 2) + "*errors.errorString";

    std::string build(uint64_t &types_vaddr) const
    {
        uint64_t table = 0, types = 0;
        std::string file;
        for (int round = 0; round < 2; round++) {
            elf::ElfBuilder builder;
            builder.segments[0].p_flags |= PF_W;
            std::string functions;
            put(functions, 0, 0xfffffff1u);
            put(functions, 6, uint16_t{0x0801});
            for (uint64_t word : {1, 0, int(elf::ElfBuilder::base + 0x40), 72, 0, 0, 0, 80})
                put(functions, functions.size(), word);
            functions += std::string("f\0\0\0\0\0\0\0", 8);
            for (uint32_t word : {0, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
                put(functions, functions.size(), word);
            std::string module(40 * 8, '\0');
            put(module, 0, table);
            put(module, 8, table + 72);
            put(module, 16 * 8, table + 80);
            put(module, 20 * 8, elf::ElfBuilder::base + 0x40);
            put(module, 22 * 8, elf::ElfBuilder::base + 0x40);
            put(module, types_word * 8, types);
            put(module, types_word * 8 + 8, types + 512);
            std::string data(512, '\0');
            data.replace(200, name.size(), name);
            put(data, 64 + 20, flags);
            put(data, 64 + 40, name_at);
            std::string info = "\xff Go buildinf:\x08\x02";
            info.resize(32);
            builder.add_section(".go.buildinfo", SHT_PROGBITS, info + version);
            builder.add_section(".gopclntab", SHT_PROGBITS, functions);
            builder.add_section(".go.module", SHT_PROGBITS, module);
            builder.add_section(".types", SHT_PROGBITS, data);
            file = builder.build([&](elf::ElfBuilder &made) {
                table = made.sections[2].sh_addr;
                types = made.sections[4].sh_addr;
            });
        }
        types_vaddr = types;
        return file;
    }

    std::string name_of(uint64_t offset) const
    {
        uint64_t types = 0;
        std::string file = build(types);
        auto image = elf::Image::parse(Bytes(file), "x");
        EXPECT_TRUE(image.has_value());
        TypeNames names(*image);
        EXPECT_EQ(names.name(types + offset), names.name(types + offset));
        return names.name(types + offset);
    }
};

TEST(GoTypeNames, AreFoundByTheTypesAddress)
{
    EXPECT_EQ(Program{}.name_of(64), "errors.errorString");
    EXPECT_EQ(Program{.flags = 0}.name_of(64), "*errors.errorString");
}

TEST(GoTypeNames, HaveTheirPlaceByTheVersion)
{
    Program old = {.version = "\x08go1.19.8", .types_word = 35};
    EXPECT_EQ(old.name_of(64), "errors.errorString");
    old.types_word = 37;
    EXPECT_EQ(old.name_of(64), "");
    EXPECT_EQ(Program{.version = "\x05other"}.name_of(64), "");
}

TEST(GoTypeNames, MayBeLong)
{
    std::string name(200, 'x');
    EXPECT_EQ((Program{.flags = 0, .name = std::string("\x01\xc8\x01", 3) + name}.name_of(64)),
              name);
    EXPECT_EQ((Program{.name = std::string("\x01\xc8\x81", 3) + name}.name_of(64)), "");
}

TEST(GoTypeNames, OfWhatIsNoTypeAreEmpty)
{
    EXPECT_EQ(Program{}.name_of(512), "");
    EXPECT_EQ(Program{}.name_of(-8), "");
    EXPECT_EQ(Program{}.name_of(128), "") << "has no name";
    EXPECT_EQ(Program{.name_at = 512}.name_of(64), "");
    EXPECT_EQ(Program{.name_at = -16}.name_of(64), "");
}

}  // namespace
}  // namespace uscope::go
