#include "usdt/notes.h"

#include <cstdio>
#include <memory>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "common/elf/elf_builder.h"
#include "support/files.h"

using namespace uscope;
using elf::elf_note;
using usdt::read_probes;

namespace {

template <class T>
void append(std::string &to, const T &value)
{
    to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

struct NoteFields {
    uint64_t vaddr, base, semaphore;
    std::string provider, name, arguments;
};

std::string note(const NoteFields &fields)
{
    std::string description;
    append(description, fields.vaddr);
    append(description, fields.base);
    append(description, fields.semaphore);
    for (const std::string &text : {fields.provider, fields.name, fields.arguments})
        description.append(text).push_back('\0');
    return elf_note("stapsdt", 3, description);
}

// Addresses and offsets of the file's code and data. The first 0x100 bytes of the data are in the
// file, the other 0xd00 (.bss) are not.
constexpr uint64_t code_vaddr = 0x401000, data_vaddr = 0x602200;
constexpr uint64_t code_offset = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
constexpr uint64_t data_offset = code_offset + 0x200;

// Builds an ELF file with `notes` in .note.stapsdt, and with .stapsdt.base at the address `base`,
// unless that is 0.
std::string file_with(const std::string &notes, uint64_t base = 0)
{
    elf::ElfBuilder file;
    file.add_section(".text", SHT_PROGBITS, std::string(0x300, '\0'));
    file.add_section(".note.stapsdt", SHT_NOTE, notes);
    size_t base_section = base ? file.add_section(".stapsdt.base", SHT_PROGBITS, "") : 0;
    size_t data = file.add_segment(PT_LOAD, PF_R | PF_W);
    return file.build([&](elf::ElfBuilder &built) {
        built.segments[0] = {PT_LOAD, PF_R | PF_X, code_offset, code_vaddr, 0, 0x200, 0x200, 1};
        built.segments[data] = {PT_LOAD, PF_R | PF_W, data_offset, data_vaddr, 0, 0x100, 0xe00, 1};
        built.sections[base_section].sh_addr = base;
    });
}

Result<std::vector<usdt::Probe>> probes_of(const std::string &file)
{
    auto image = elf::Image::parse(Bytes(file), "test-file");
    if (!image)
        return Failure(image.error());
    return read_probes(*image);
}

std::string error_of(const std::string &file)
{
    auto probes = probes_of(file);
    return probes ? "" : probes.error().text;
}

TEST(Notes, OneProbe)
{
    auto probes = probes_of(file_with(note({code_vaddr + 0x10, 0, 0, "app", "hit", "-4@%edi"})));
    ASSERT_TRUE(probes) << probes.error().text;
    ASSERT_EQ(probes->size(), 1u);
    EXPECT_EQ((*probes)[0].provider, "app");
    EXPECT_EQ((*probes)[0].name, "hit");
    EXPECT_EQ((*probes)[0].semaphore_vaddr, 0u);
    ASSERT_EQ((*probes)[0].locations.size(), 1u);
    EXPECT_EQ((*probes)[0].locations[0].vaddr, code_vaddr + 0x10);
    EXPECT_EQ((*probes)[0].locations[0].file_offset, code_offset + 0x10);
    EXPECT_EQ((*probes)[0].locations[0].arguments, "-4@%edi");
}

TEST(Notes, NotesOfOneProbeAreItsLocations)
{
    auto probes = probes_of(file_with(note({code_vaddr + 1, 0, 0, "app", "hit", "4@%edi"}) +
                                      note({code_vaddr + 2, 0, 0, "app", "miss", ""}) +
                                      note({code_vaddr + 3, 0, 0, "app", "hit", "4@%eax"}) +
                                      note({code_vaddr + 4, 0, 0, "other", "hit", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    ASSERT_EQ(probes->size(), 3u);  // in the order of the first notes
    EXPECT_EQ((*probes)[0].locations.size(), 2u);
    EXPECT_EQ((*probes)[0].locations[1].arguments, "4@%eax");
    EXPECT_EQ((*probes)[1].name, "miss");
    EXPECT_EQ((*probes)[2].provider, "other");
}

TEST(Notes, SemaphoresHaveAFileOffset)
{
    auto probes = probes_of(file_with(note({code_vaddr, 0, data_vaddr + 0x20, "app", "hit", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ((*probes)[0].semaphore_vaddr, data_vaddr + 0x20);
    EXPECT_EQ((*probes)[0].semaphore_offset, data_offset + 0x20);
}

TEST(Notes, DifferentSemaphoresMakeDifferentProbes)
{
    auto probes = probes_of(file_with(note({code_vaddr, 0, data_vaddr, "app", "hit", ""}) +
                                      note({code_vaddr + 1, 0, data_vaddr + 2, "app", "hit", ""}) +
                                      note({code_vaddr + 2, 0, data_vaddr, "app", "hit", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    ASSERT_EQ(probes->size(), 2u);
    EXPECT_EQ((*probes)[0].locations.size(), 2u);
    EXPECT_EQ((*probes)[1].semaphore_vaddr, data_vaddr + 2);
}

TEST(Notes, AddressesMoveWithTheBaseSection)
{
    // Linked with the base at 0x1000, moved by prelink: the note's addresses are 0x400000 too low.
    std::string notes = note({code_vaddr - 0x400000, 0x1000, data_vaddr - 0x400000, "p", "n", ""});
    auto probes = probes_of(file_with(notes, 0x401000));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ((*probes)[0].locations[0].vaddr, code_vaddr);
    EXPECT_EQ((*probes)[0].semaphore_vaddr, data_vaddr);
    EXPECT_EQ((*probes)[0].semaphore_offset, data_offset);
}

TEST(Notes, OtherNotesAreSkipped)
{
    auto probes =
        probes_of(file_with(elf_note("GNU", 3, "01234567890") + elf_note("stapsdt", 2, "?") +
                            note({code_vaddr, 0, 0, "app", "hit", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ(probes->size(), 1u);
}

TEST(Notes, NotesOfDroppedCodeAreSkipped)
{
    auto probes = probes_of(file_with(note({0, 0, 0, "app", "gone", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_TRUE(probes->empty());
}

TEST(Notes, NamesMayHoldQuotes)
{
    auto probes = probes_of(file_with(note({code_vaddr, 0, 0, "\"app\"", "say \"hi\"", ""})));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_EQ((*probes)[0].provider, "\"app\"");
    EXPECT_EQ((*probes)[0].name, "say \"hi\"");
}

TEST(Notes, AnEmptySectionHasNoProbes)
{
    auto probes = probes_of(file_with(""));
    ASSERT_TRUE(probes) << probes.error().text;
    EXPECT_TRUE(probes->empty());
}

TEST(Notes, AProbeThatIsNotInTheFileIsNamed)
{
    EXPECT_EQ(error_of(file_with(note({0x900000, 0, 0, "app", "hit", ""}))),
              "test-file: the USDT probe app:hit is at address 0x900000, which is not in the file");
}

TEST(Notes, ASemaphoreThatIsNotInTheFileIsNamed)
{
    for (uint64_t semaphore : {uint64_t{0x900000}, data_vaddr + 0x100})  // unmapped; in .bss
        EXPECT_EQ(
            error_of(file_with(note({code_vaddr, 0, semaphore, "app", "hit", ""}))),
            fmt::format("test-file: the semaphore of the USDT probe app:hit is at address {:#x}, "
                        "which is not in the file",
                        semaphore));
}

TEST(Notes, ANoteThatRunsOutsideIsAnError)
{
    std::string whole = note({code_vaddr, 0, 0, "app", "hit", ""});
    for (size_t cut : {4u, 11u, 15u, 40u}) {
        std::string error = error_of(file_with(whole + whole.substr(0, cut)));
        EXPECT_EQ(error,
                  fmt::format("test-file: the note at byte {:#x} of .note.stapsdt runs past the "
                              "section's end",
                              whole.size()));
    }
}

TEST(Notes, FieldsThatRunOutOfTheirNoteAreAnError)
{
    for (std::string description : {std::string(23, '\0'), std::string(24, 'x'),
                                    std::string(24, '\1') + std::string("app\0hit\0-4@%edi", 15)})
        EXPECT_NE(error_of(file_with(elf_note("stapsdt", 3, description))).find("byte 0x0"),
                  std::string::npos);
}

TEST(Notes, DamagedSectionHeadersAreAnError)
{
    std::string file = file_with(note({code_vaddr, 0, 0, "app", "hit", ""}));
    file.resize(file.size() - 1);
    EXPECT_NE(error_of(file).find("cannot look for USDT probes"), std::string::npos);
}

// --- real files, compared with readelf -----------------------------------------------------------

std::string probe_line(std::string_view provider, std::string_view name, uint64_t location,
                       uint64_t semaphore, std::string_view arguments)
{
    return fmt::format("{}:{} {:#x} {:#x} {}", provider, name, location, semaphore, arguments);
}

uint64_t hex_after(std::string_view line, std::string_view word)
{
    size_t at = line.find(word);
    return at == line.npos ? 0 : strtoull(line.data() + at + word.size(), nullptr, 16);
}

std::multiset<std::string> listed_by_readelf(const std::string &path)
{
    std::unique_ptr<FILE, int (*)(FILE *)> out(
        popen(("readelf -nW '" + path + "' 2>/dev/null").c_str(), "r"), pclose);
    std::multiset<std::string> all;
    std::string provider, name;
    uint64_t location = 0, semaphore = 0;
    char buffer[4096];
    while (out && fgets(buffer, sizeof buffer, out.get())) {
        std::string line(trim(buffer));
        if (size_t at = line.find("Provider: "); at != line.npos) {
            provider = line.substr(at + 10);
        } else if (line.starts_with("Name: ")) {
            name = line.substr(6);
        } else if (line.starts_with("Location: ")) {
            location = hex_after(line, "Location: ");
            semaphore = hex_after(line, "Semaphore: ");
        } else if (line.starts_with("Arguments:")) {
            all.insert(probe_line(provider, name, location, semaphore, trim(line.substr(10))));
        }
    }
    return all;
}

class NotesOfRealFiles : public testing::TestWithParam<const char *> {};

TEST_P(NotesOfRealFiles, AreWhatReadelfLists)
{
    std::string path = tests::installed(GetParam());
    if (path.empty())
        GTEST_SKIP() << GetParam() << " is not installed";
    auto image = elf::Image::open(path);
    ASSERT_TRUE(image) << image.error().text;
    auto probes = read_probes(*image);
    ASSERT_TRUE(probes) << probes.error().text;

    std::multiset<std::string> read;
    for (const usdt::Probe &probe : *probes) {
        EXPECT_EQ(probe.semaphore_vaddr != 0, probe.semaphore_offset != 0);
        for (const usdt::Location &location : probe.locations) {
            read.insert(probe_line(probe.provider, probe.name, location.vaddr,
                                   probe.semaphore_vaddr, location.arguments));
            // The macro DTRACE_PROBE generates a nop.
            EXPECT_EQ(image->bytes().read<uint8_t>(location.file_offset), 0x90);
        }
    }
    auto expected = listed_by_readelf(path);
    EXPECT_EQ(read, expected);
    if (expected.empty())  // Debian 13 builds some programs without probes
        GTEST_SKIP() << path << " has no probes";
}

INSTANTIATE_TEST_SUITE_P(Debian, NotesOfRealFiles,
                         testing::Values("/usr/lib/jvm/java-*-openjdk-*/lib/server/libjvm.so",
                                         "/usr/lib/postgresql/*/bin/postgres",
                                         "/usr/bin/python3.[0-9][0-9]",
                                         "/usr/lib/*/libruby-[0-9].[0-9].so.[0-9].[0-9]",
                                         "/usr/bin/php[0-9].[0-9]",
                                         "/usr/lib/*-linux-gnu/libstdc++.so.6"));

}  // namespace
