#include "elf/sframe.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"

using namespace uscope;

namespace {

using Kind = elf::SavedRegister::Kind;

constexpr uint64_t rbp = 6, rsp = 7, r10 = 10, rbx = 3, return_address = 16;

// The section that binutils 2.47 writes for a program with an aligned frame, up to what follows it:
// readelf --sframe prints what the tests expect.
constexpr uint64_t section_at = 0x2140;
constexpr std::string_view section(
    "\xe2\xde\x03\x05\x03\x00\xf8\x00\x06\x00\x00\x00\x12\x00\x00\x00"
    "\x6a\x00\x00\x00\x00\x00\x00\x00\x60\x00\x00\x00\xc4\xee\xff\xff"
    "\xff\xff\xff\xff\x10\x00\x00\x00\x4c\x00\x00\x00\xc4\xee\xff\xff"
    "\xff\xff\xff\xff\x10\x00\x00\x00\x57\x00\x00\x00\xc4\xee\xff\xff"
    "\xff\xff\xff\xff\x08\x00\x00\x00\x62\x00\x00\x00\xc4\xee\xff\xff"
    "\xff\xff\xff\xff\x31\x00\x00\x00\x3e\x00\x00\x00\xe4\xef\xff\xff"
    "\xff\xff\xff\xff\x15\x00\x00\x00\x00\x00\x00\x00\xf4\xef\xff\xff"
    "\xff\xff\xff\xff\x9e\x00\x00\x00\x0e\x00\x00\x00\x03\x00\x00\x00"
    "\x00\x00\x03\x08\x01\x03\x10\x0b\x03\x08\x07\x00\x00\x01\x00\x00"
    "\x04\x39\x08\x05\x04\x51\x00\x20\x0a\x51\x00\x00\x33\x00\x27\x0a"
    "\x33\xf0\x00\x33\x00\x86\x0a\x51\x00\x00\x33\x00\x8d\x0a\x39\x08"
    "\x00\x33\x00\x90\x0a\x33\xf0\x00\x33\x00\x03\x00\x00\x00\x00\x00"
    "\x03\x08\x01\x03\x10\x30\x03\x08\x02\x00\x00\x00\x00\x00\x03\x10"
    "\x06\x03\x18\x02\x00\x10\x00\x10\x00\x03\x08\x0b\x03\x10\x01\x00"
    "\x10\x00\x08\x00\x03\x10",
    0xe6);

elf::SFrame sframe_of_the_section()
{
    auto frames = elf::SFrame::read(Bytes(section), section_at);
    EXPECT_TRUE(frames);
    return *frames;
}

elf::FrameRow row(const elf::SFrame &frames, uint64_t vaddr)
{
    auto found = frames.row(vaddr);
    EXPECT_TRUE(found) << std::hex << vaddr;
    return found ? found->row : elf::FrameRow();
}

TEST(SFrame, HasTheRowOfEachInstruction)
{
    elf::SFrame all = sframe_of_the_section();
    const std::pair<uint64_t, int64_t> offsets[] = {{0x1050, 8},  {0x1051, 16}, {0x107f, 16},
                                                    {0x1080, 8},  {0x1180, 8},  {0x1181, 16},
                                                    {0x118a, 16}, {0x118b, 8},  {0x1194, 8}};
    for (auto [vaddr, offset] : offsets) {
        elf::FrameRow found = row(all, vaddr);
        EXPECT_EQ(found.cfa_register, rsp);
        EXPECT_EQ(found.cfa_offset, offset) << std::hex << vaddr;
        EXPECT_EQ(found.return_register, return_address);
        EXPECT_EQ(found.return_address().kind, Kind::AtCfa);
        EXPECT_EQ(found.return_address().value, -8);
        EXPECT_EQ(found.registers[rbp].kind, Kind::Same);
        EXPECT_EQ(found.registers[rbx].kind, Kind::Undefined);
    }
    for (uint64_t vaddr : {0x0ul, 0x101ful, 0x1048ul, 0x1081ul, 0x1195ul, 0x123eul, ~0ul})
        EXPECT_FALSE(all.row(vaddr)) << std::hex << vaddr;
}

// The procedure linkage table: each block of 16 bytes has the same rows.
TEST(SFrame, HasRowsThatRepeat)
{
    elf::SFrame all = sframe_of_the_section();
    EXPECT_EQ(row(all, 0x1030).cfa_offset, 8);
    EXPECT_EQ(row(all, 0x103a).cfa_offset, 8);
    EXPECT_EQ(row(all, 0x103b).cfa_offset, 16);
    EXPECT_EQ(row(all, 0x103f).cfa_offset, 16);
}

// An aligned frame: the CFA is in r10, then in memory below the frame pointer.
TEST(SFrame, HasRowsWithOtherRegisters)
{
    elf::SFrame all = sframe_of_the_section();
    elf::FrameRow first = row(all, 0x11a0), moved = row(all, 0x11a5), saved = row(all, 0x11c0),
                  kept = row(all, 0x11f9);
    EXPECT_EQ(first.cfa_register, rsp);
    EXPECT_EQ(first.cfa_offset, 8);
    EXPECT_EQ(moved.cfa_register, r10);
    EXPECT_EQ(moved.cfa_offset, 0);
    EXPECT_EQ(saved.cfa_register, r10);
    EXPECT_EQ(saved.registers[rbp].kind, Kind::AtExpression);
    EXPECT_EQ(saved.registers[rbp].expression.text(), std::string_view("\x76\x00", 2));
    EXPECT_EQ(kept.cfa_register, elf::no_register);
    EXPECT_EQ(kept.cfa_expression.text(), "\x76\x70\x06");  // the word at rbp - 16
    EXPECT_EQ(kept.return_address().value, -8);
}

TEST(SFrame, IsRefusedIfItsFormatIsUnknown)
{
    for (auto [at, value] :
         {std::pair(0, '\0'), {2, '\x01'}, {2, '\x04'}, {3, '\0'}, {4, '\x04'}}) {
        std::string other(section);
        other[at] = value;
        EXPECT_FALSE(elf::SFrame::read(Bytes(other), section_at)) << at;
    }
    for (size_t size = 0; size + 1 < section.size(); size++)
        EXPECT_FALSE(elf::SFrame::read(Bytes(section.substr(0, size)), section_at)) << size;
}

}  // namespace
