#include "go/build_info.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"

namespace uscope::go {
namespace {

using namespace std::literals;

std::string note(uint8_t flags, std::string_view rest)
{
    std::string bytes = "\xff Go buildinf:\x08"s;
    bytes += static_cast<char>(flags);
    if (flags & 2)
        bytes.resize(32);
    return bytes.append(rest);
}

// Returns a memory with `bytes` at address 0x1000.
Memory memory_of(const std::string &bytes)
{
    return [bytes = Bytes(bytes)](uint64_t vaddr, uint64_t length) -> std::optional<Bytes> {
        return vaddr < 0x1000 ? std::nullopt : bytes.slice(vaddr - 0x1000, length);
    };
}

std::string version_of(const std::string &note, const std::string &memory = "")
{
    return version_in(Bytes(note), memory_of(memory)).value_or("-");
}

std::string words(std::initializer_list<uint64_t> words)
{
    return {reinterpret_cast<const char *>(words.begin()), words.size() * 8};
}

TEST(GoBuildInfo, HasTheVersionInItself)
{
    EXPECT_EQ(version_of(note(2, "\x08go1.19.8\x00"sv)), "go1.19.8");
    std::string longer = "devel go1.20-" + std::string(137, 'x');
    EXPECT_EQ(version_of(note(2, "\x96\x01" + longer)), longer);
}

TEST(GoBuildInfo, PointsToTheVersionBefore118)
{
    std::string memory = words({0x1010, 8}) + "go1.17.2";
    EXPECT_EQ(version_of(note(0, words({0x1000, 0})), memory), "go1.17.2");
}

TEST(GoBuildInfo, ThatIsDamagedHasNoVersion)
{
    EXPECT_EQ(version_of(""), "-");
    EXPECT_EQ(version_of("\xff Go buildinf:"), "-");
    EXPECT_EQ(version_of("\xfe" + note(2, "\x08go1.19.8"sv).substr(1)), "-");
    EXPECT_EQ(version_of(note(2, "\x09go1.19.8"sv)), "-") << "longer than the note";
    EXPECT_EQ(version_of(note(2, "\x00"sv)), "-") << "empty";
    EXPECT_EQ(version_of(note(2, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv)), "-");
    EXPECT_EQ(version_of(note(2, "\x81\x02" + std::string(257, 'x'))), "-") << "too long";
    EXPECT_EQ(version_of(note(0, words({0x2000, 0})), words({0x1010, 8}) + "go1.17.2"), "-");
    EXPECT_EQ(version_of(note(0, words({0x1000, 0})), words({0x1010, 9}) + "go1.17.2"), "-");
    EXPECT_EQ(version_of(note(0, words({0x1000, 0})), words({0x1010, uint64_t(1) << 60}) + "go1"),
              "-");
    EXPECT_EQ(version_of(note(1, words({0x1000, 0})), words({0x1010, 8}) + "go1.17.2"), "-")
        << "big-endian";
}

std::string built_by_of(const std::string &file)
{
    auto image = elf::Image::parse(Bytes(file), "x");
    EXPECT_TRUE(image.has_value());
    return built_by(*image).value_or("-");
}

TEST(GoBuildInfo, IsASection)
{
    elf::ElfBuilder builder;
    builder.add_section(".go.buildinfo", SHT_PROGBITS, note(2, "\x08go1.19.8"sv));
    EXPECT_EQ(built_by_of(builder.build()), "go1.19.8");
    EXPECT_EQ(built_by_of(elf::ElfBuilder().build()), "-");
}

TEST(GoBuildInfo, IsInTheDataWithoutSectionHeaders)
{
    for (size_t before : {32, 33}) {  // found only at a multiple of 16
        elf::ElfBuilder builder;
        size_t data = builder.add_segment(PT_LOAD, PF_R | PF_W);
        size_t section = builder.add_section(".d", SHT_PROGBITS,
                                             std::string(before, 'x') + note(2, "\x08go1.19.8"sv));
        std::string file = builder.build([&](elf::ElfBuilder &b) {
            b.segments[data].p_offset = b.sections[section].sh_offset;
            b.segments[data].p_filesz = b.sections[section].sh_size;
            b.header.e_shoff = 0;
        });
        EXPECT_EQ(built_by_of(file), before == 32 ? "go1.19.8" : "-");
    }
}

TEST(GoVersion, IsParsedFromWhatBuildsSay)
{
    EXPECT_EQ(parse_version("go1.19.8"), (Version{1, 19}));
    EXPECT_EQ(parse_version("go1.22rc1"), (Version{1, 22}));
    EXPECT_EQ(parse_version("devel go1.20-3de5b3f Mon Aug  1"), (Version{1, 20}));
    EXPECT_EQ(parse_version("go2.0"), (Version{2, 0}));
    for (auto text : {"", "go", "go1", "go1.", "go.1", "1.19", "devel +abc", "go1.x"})
        EXPECT_EQ(parse_version(text), std::nullopt) << text;
    EXPECT_LT((Version{1, 16}), (Version{1, 17}));
    EXPECT_LT((Version{1, 17}), (Version{2, 0}));
}

}  // namespace
}  // namespace uscope::go
