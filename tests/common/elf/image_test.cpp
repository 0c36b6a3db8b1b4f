#include "elf/image.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"

namespace uscope::elf {
namespace {

std::string error_of(const std::string &file)
{
    auto image = Image::parse(Bytes(file), "x.so");
    return image ? "" : image.error().text;
}

Image parsed(const std::string &file)
{
    auto image = Image::parse(Bytes(file), "x.so");
    EXPECT_TRUE(image) << image.error().text;
    return std::move(*image);
}

void expect_in(std::string_view text, std::string_view part)
{
    EXPECT_NE(text.find(part), text.npos) << text;
}

TEST(Image, RefusesWhatItCannotReadAndSaysWhy)
{
    EXPECT_EQ(error_of("#!/bin/sh\n"), "x.so is not an ELF file");
    EXPECT_EQ(error_of(""), "x.so is not an ELF file");
    EXPECT_EQ(error_of("\177ELF\2\1"), "x.so is truncated within its ELF header");
    ElfBuilder small, big;
    small.header.e_ident[EI_CLASS] = ELFCLASS32;
    expect_in(error_of(small.build()), "x.so is a 32-bit ELF file");
    big.header.e_ident[EI_DATA] = ELFDATA2MSB;
    expect_in(error_of(big.build()), "x.so is a big-endian ELF file");
}

TEST(Image, NamesTheFileThatCannotBeOpened)
{
    auto image = Image::open("/nonexistent/x");
    ASSERT_FALSE(image);
    expect_in(image.error().text, "/nonexistent/x: No such file");
}

TEST(Image, ReadsARealProgram)
{
    auto image = Image::open("/proc/self/exe");
    ASSERT_TRUE(image);
    EXPECT_TRUE(image->type() == ET_DYN || image->type() == ET_EXEC);
    EXPECT_GE(image->segments().size(), 2u);
    ASSERT_NE(image->section(".text"), nullptr);
    EXPECT_TRUE(image->is_executable(image->section(".text")->vaddr));
    EXPECT_FALSE(image->is_executable(image->section(".rodata")->vaddr));
    EXPECT_EQ(image->section_damage(), "");
    EXPECT_FALSE(image->dynamic().empty());
}

TEST(Image, StaysUsableWhenMoved)
{
    auto opened = Image::open("/proc/self/exe");
    ASSERT_TRUE(opened);
    Image image = std::move(*opened);
    EXPECT_TRUE(image.contents(*image.section(".text")));
}

TEST(Image, ConvertsAddressesThroughTheSegmentOnly)
{
    ElfBuilder builder;
    size_t data = builder.add_segment(PT_LOAD, PF_R | PF_W);
    std::string file = builder.build([&](ElfBuilder &b) {
        b.segments[0].p_filesz = b.segments[0].p_memsz = 0x80;
        b.segments[data].p_offset = 0x80;
        b.segments[data].p_vaddr = 0x91080;  // not the base + its offset in the file
        b.segments[data].p_filesz = 0x20;
        b.segments[data].p_memsz = 0x100;
    });
    Image image = parsed(file);
    EXPECT_EQ(image.file_offset(0x10010), 0x10u);
    EXPECT_EQ(image.file_offset(0x91084), 0x84u);
    EXPECT_EQ(image.file_offset(0x9109f), 0x9fu);
    EXPECT_EQ(image.file_offset(0x910a0), std::nullopt);  // .bss
    EXPECT_EQ(image.file_offset(0x9107f), std::nullopt);
    EXPECT_EQ(image.vaddr(0x84), 0x91084u);
    EXPECT_EQ(image.vaddr(0xa0), std::nullopt);
    EXPECT_TRUE(image.is_executable(0x10010));
    EXPECT_FALSE(image.is_executable(0x91084));
}

TEST(Image, BytesAtStayInsideTheSegment)
{
    std::string file = ElfBuilder().build();
    Image image = parsed(file);
    auto bytes = image.bytes_at(ElfBuilder::base, 4);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->text(), "\177ELF");
    EXPECT_TRUE(image.bytes_at(ElfBuilder::base, file.size()));
    EXPECT_FALSE(image.bytes_at(ElfBuilder::base, file.size() + 1));
    EXPECT_FALSE(image.bytes_at(ElfBuilder::base - 1, 1));
}

TEST(Image, ClipsASegmentThatReachesBehindTheFile)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.segments[0].p_filesz = 1 << 30; });
    Image image = parsed(file);
    EXPECT_EQ(image.segments()[0].file_size, file.size());
    EXPECT_EQ(image.file_offset(ElfBuilder::base + file.size()), std::nullopt);
}

TEST(Image, SurvivesOffsetsThatWrapAround)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) {
        b.segments[0].p_vaddr = UINT64_MAX - 3;
        b.segments[0].p_offset = UINT64_MAX - 3;
        b.segments[0].p_filesz = UINT64_MAX;
        for (Elf64_Shdr &section : b.sections)
            section.sh_offset = UINT64_MAX - 1;
    });
    Image image = parsed(file);
    EXPECT_EQ(image.file_offset(UINT64_MAX), std::nullopt);
    EXPECT_EQ(image.file_offset(1), std::nullopt);
    EXPECT_TRUE(image.sections().empty());
}

TEST(Image, RefusesProgramHeadersOutsideTheFile)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.header.e_phoff = UINT64_MAX - 8; });
    expect_in(error_of(file), "1 program headers at offset 0xfffffffffffffff7 lie outside");
}

TEST(Image, RefusesProgramHeadersOfAnotherSize)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.header.e_phentsize = 8; });
    expect_in(error_of(file), "its program headers have 8 bytes each, not 56");
}

TEST(Image, RefusesMoreProgramHeadersThanLinuxDoes)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.header.e_phnum = PN_XNUM; });
    expect_in(error_of(file), "65535 program headers, Linux accepts at most 1170");
}

TEST(Image, GoesOnWithoutCorruptSectionHeaders)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.header.e_shoff = 1 << 30; });
    Image image = parsed(file);
    EXPECT_TRUE(image.sections().empty());
    EXPECT_EQ(image.section_damage(),
              "its section headers at offset 0x40000000 lie outside the file");
    EXPECT_EQ(image.file_offset(ElfBuilder::base), 0u);
}

TEST(Image, ReportsMoreSectionsThanTheFileHolds)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) {
        b.header.e_shnum = 0;
        b.sections[0].sh_size = UINT64_MAX / 64 + 3;  // times 64 wraps to a small number
    });
    Image image = parsed(file);
    EXPECT_TRUE(image.sections().empty());
    expect_in(image.section_damage(), "its 288230376151711746 section headers");
}

TEST(Image, ReportsMissingSectionNames)
{
    std::string file = ElfBuilder().build([](ElfBuilder &b) { b.header.e_shstrndx = 77; });
    EXPECT_EQ(parsed(file).section_damage(), "its section names (section 77 of 2) are missing");
}

TEST(Image, ReadsCountsThatDoNotFitTheHeader)
{
    ElfBuilder builder;
    builder.add_section(".mine", SHT_PROGBITS, "text");
    std::string file = builder.build([](ElfBuilder &b) {
        b.sections[0].sh_size = b.header.e_shnum;
        b.sections[0].sh_link = b.header.e_shstrndx;
        b.header.e_shnum = 0;
        b.header.e_shstrndx = SHN_XINDEX;
    });
    Image image = parsed(file);
    const Section *mine = image.section(".mine");
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(image.contents(*mine)->text(), "text");
}

TEST(Image, GivesUnterminatedSectionNamesAsEmpty)
{
    ElfBuilder builder;
    builder.add_section(".mine", SHT_PROGBITS, "text");
    std::string file = builder.build([](ElfBuilder &b) {
        b.sections.back().sh_size -= 1;  // cuts the terminator of ".shstrtab", the last name
        b.sections[1].sh_name = 1 << 20;
    });
    Image image = parsed(file);
    EXPECT_EQ(image.sections().back().name, "");
    EXPECT_EQ(image.sections()[1].name, "");
}

TEST(Image, HasNoContentsForWhatIsNotPlainlyInTheFile)
{
    ElfBuilder builder;
    size_t bss = builder.add_section(".bss", SHT_NOBITS, "");
    size_t packed = builder.add_section(".debug_info", SHT_PROGBITS, "xx");
    size_t outside = builder.add_section(".far", SHT_PROGBITS, "xx");
    std::string file = builder.build([&](ElfBuilder &b) {
        b.sections[packed].sh_flags = SHF_COMPRESSED;
        b.sections[outside].sh_size = 1 << 30;
    });
    Image image = parsed(file);
    for (size_t section : {bss, packed, outside})
        EXPECT_FALSE(image.contents(image.sections()[section])) << section;
}

TEST(Image, ReadsTheBuildId)
{
    ElfBuilder builder;
    builder.add_section(".note", SHT_NOTE,
                        elf_note("Other", NT_GNU_BUILD_ID, "abc") +
                            elf_note("GNU", NT_GNU_BUILD_ID, "\x01\xab\xff"));
    std::string file = builder.build();
    EXPECT_EQ(parsed(file).build_id(), "01abff");
    std::string none = ElfBuilder().build();
    EXPECT_EQ(parsed(none).build_id(), "");
}

TEST(Image, ReadsTheBuildIdWithoutSectionHeaders)
{
    ElfBuilder builder;
    size_t notes = builder.add_segment(PT_NOTE, PF_R);
    size_t section =
        builder.add_section(".note", SHT_NOTE, elf_note("GNU", NT_GNU_BUILD_ID, "\x12\x34"));
    std::string file = builder.build([&](ElfBuilder &b) {
        b.segments[notes].p_offset = b.sections[section].sh_offset;
        b.segments[notes].p_filesz = b.sections[section].sh_size;
        b.header.e_shoff = 0;
    });
    EXPECT_EQ(parsed(file).build_id(), "1234");
}

TEST(Image, StopsAtANoteThatRunsOutside)
{
    std::string note = elf_note("GNU", NT_GNU_BUILD_ID, "\x12\x34");
    uint32_t huge = UINT32_MAX;
    memcpy(note.data() + offsetof(Elf64_Nhdr, n_descsz), &huge, sizeof huge);
    ElfBuilder builder;
    builder.add_section(".note", SHT_NOTE, note);
    std::string file = builder.build();
    EXPECT_EQ(parsed(file).build_id(), "");
}

TEST(Image, ReadsTheDebugLink)
{
    ElfBuilder builder;
    builder.add_section(".gnu_debuglink", SHT_PROGBITS,
                        std::string("abc.debug\0\0\0\x78\x56\x34\x12", 16));
    std::string file = builder.build();
    auto link = parsed(file).debug_link();
    ASSERT_TRUE(link);
    EXPECT_EQ(link->file, "abc.debug");
    EXPECT_EQ(link->crc, 0x12345678u);
}

TEST(Image, HasNoDebugLinkWhenItIsCutOff)
{
    for (auto contents : {std::string("abc.debug"), std::string("abc.debug\0\0\0\x78\x56", 14),
                          std::string("\0\0\0\0\0\0\0\0", 8)}) {
        ElfBuilder builder;
        builder.add_section(".gnu_debuglink", SHT_PROGBITS, contents);
        std::string file = builder.build();
        EXPECT_FALSE(parsed(file).debug_link());
    }
}

TEST(Image, KnowsGoBySections)
{
    for (auto name :
         {".go.buildinfo", ".gopclntab", ".data.rel.ro.gopclntab", ".note.go.buildid"}) {
        ElfBuilder builder;
        builder.add_section(name, SHT_PROGBITS, "x");
        std::string file = builder.build();
        EXPECT_TRUE(parsed(file).is_go()) << name;
    }
    ElfBuilder c;
    c.add_section(".note", SHT_NOTE, elf_note("GNU", 4, "x"));
    std::string file = c.build();
    EXPECT_FALSE(parsed(file).is_go());
}

TEST(Image, KnowsGoByItsNoteWithoutSectionHeaders)
{
    ElfBuilder builder;
    size_t notes = builder.add_segment(PT_NOTE, PF_R);
    size_t section = builder.add_section(".n", SHT_NOTE, elf_note("Go", 4, "id"));
    std::string file = builder.build([&](ElfBuilder &b) {
        b.segments[notes].p_offset = b.sections[section].sh_offset;
        b.segments[notes].p_filesz = b.sections[section].sh_size;
        b.header.e_shoff = 0;
    });
    EXPECT_TRUE(parsed(file).is_go());
}

TEST(Image, KnowsGoByItsBuildInfoWithoutSectionHeaders)
{
    ElfBuilder builder;
    size_t data = builder.add_segment(PT_LOAD, PF_R | PF_W);
    size_t section =
        builder.add_section(".d", SHT_PROGBITS, std::string(32, 'x') + "\xff Go buildinf:\x08\x02");
    std::string file = builder.build([&](ElfBuilder &b) {
        b.segments[data].p_offset = b.sections[section].sh_offset;
        b.segments[data].p_filesz = b.sections[section].sh_size;
        b.header.e_shoff = 0;
    });
    EXPECT_TRUE(parsed(file).is_go());
}

}  // namespace
}  // namespace uscope::elf
