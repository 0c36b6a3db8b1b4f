#include "elf/frames.h"

#include <cstring>

#include <gtest/gtest.h>
#include <zlib.h>

#include "common/elf/elf_builder.h"
#include "elf/functions.h"
#include "support/files.h"

using namespace uscope;

namespace {

using tests::target;

TEST(Frames, TellCalledFunctionsFromOtherCode)
{
    auto image = elf::Image::open(target("exits"));
    ASSERT_TRUE(image) << image.error().text;
    auto frames = elf::Frames::of(*image);
    auto frame_of = [&](const char *name) {
        auto found = elf::find_functions(*image, name);
        EXPECT_TRUE(found) << name;
        return std::pair(found->front(), frames.at(found->front().vaddr));
    };
    for (const char *name : {"main", "plain", "two_ways", "tail_caller"}) {
        auto [function, frame] = frame_of(name);
        ASSERT_TRUE(frame) << name;
        EXPECT_EQ(frame->start, function.vaddr) << name;
        EXPECT_EQ(frame->end, function.vaddr + function.size) << name;
        EXPECT_TRUE(frame->is_called) << name;
        EXPECT_EQ(frames.at(frame->end - 1)->start, frame->start) << name;
    }
    // The kernel jumps to _start: there is no return address, and argc is on top of the stack.
    auto [function, frame] = frame_of("_start");
    ASSERT_TRUE(frame);
    EXPECT_FALSE(frame->is_called);
    EXPECT_FALSE(frames.at(0));
    EXPECT_FALSE(frames.at(~0ull));
}

// The FDE of the signal trampoline begins before the function, and is marked as that of a signal
// frame.
TEST(Frames, OfTheCLibrary)
{
    auto image = elf::Image::open("/lib/x86_64-linux-gnu/libc.so.6");
    if (!image)
        GTEST_SKIP() << "no C library here";
    auto frames = elf::Frames::of(*image);
    auto functions = elf::all_functions(*image, {.debug_files = false, .demangle = false});
    ASSERT_TRUE(functions);
    size_t known = 0, called = 0;
    for (const elf::Function &function : *functions) {
        auto frame = frames.at(function.vaddr);
        known += frame.has_value();
        called += frame && frame->start == function.vaddr && frame->is_called;
    }
    EXPECT_GT(known, functions->size() * 9 / 10);
    EXPECT_GT(called, functions->size() * 9 / 10);
}

// Builds a file with one function of 16 bytes at `function`, and with its unwinding table: a CIE,
// whose rules are those at a function's entry, and an FDE.
constexpr uint64_t function = elf::ElfBuilder::base + 0x40;
std::string number(uint32_t value)
{
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}
std::string wide(uint64_t value)
{
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}

std::string debug_frame(uint8_t version)
{
    constexpr std::string_view rules("\x01\x78\x10\x0c\x07\x08\x90\x01", 8);  // CFA = rsp + 8
    std::string common = number(0xffffffff) + char(version) + '\0';
    common += version == 4 ? std::string("\x08\x00", 2) : "";
    common += std::string(rules);
    return number(uint32_t(common.size())) + common + number(20) + number(0) + wide(function) +
           wide(16);
}

TEST(Frames, OfDebugFrame)
{
    for (uint8_t version : {1, 3, 4}) {
        elf::ElfBuilder builder;
        builder.add_section(".debug_frame", SHT_PROGBITS, debug_frame(version));
        std::string file = builder.build();
        auto image = elf::Image::parse(Bytes(file), "test");
        ASSERT_TRUE(image);
        auto frames = elf::Frames::of(*image);
        auto frame = frames.at(function + 15);
        ASSERT_TRUE(frame) << int(version);
        EXPECT_EQ(frame->start, function);
        EXPECT_TRUE(frame->is_called);
        EXPECT_FALSE(frames.at(function + 16));
        EXPECT_FALSE(frames.at(function - 1));
    }
    elf::ElfBuilder builder;
    builder.add_section(".debug_frame", SHT_PROGBITS, debug_frame(5));
    std::string file = builder.build();
    auto image = elf::Image::parse(Bytes(file), "test");
    ASSERT_TRUE(image);
    EXPECT_FALSE(elf::Frames::of(*image).at(function));
}

TEST(Frames, OfCompressedDebugFrame)
{
    std::string plain = debug_frame(4), packed(100, '\0');
    uLongf length = packed.size();
    ASSERT_EQ(compress(reinterpret_cast<Bytef *>(packed.data()), &length,
                       reinterpret_cast<const Bytef *>(plain.data()), plain.size()),
              Z_OK);
    for (uint64_t size : {plain.size(), plain.size() + 1, size_t{1} << 40}) {
        Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, size, 1};
        std::string section(reinterpret_cast<const char *>(&header), sizeof header);
        elf::ElfBuilder builder;
        size_t at =
            builder.add_section(".debug_frame", SHT_PROGBITS, section + packed.substr(0, length));
        std::string file =
            builder.build([&](elf::ElfBuilder &b) { b.sections[at].sh_flags = SHF_COMPRESSED; });
        auto image = elf::Image::parse(Bytes(file), "test");
        ASSERT_TRUE(image);
        EXPECT_EQ(elf::Frames::of(*image).at(function).has_value(), size == plain.size()) << size;
    }
}

// The tables are found by the program headers if there are no section headers.
TEST(Frames, OfAFileWithoutSectionHeaders)
{
    auto whole = elf::Image::open(target("exits"));
    ASSERT_TRUE(whole) << whole.error().text;
    auto main = elf::find_functions(*whole, "main");
    ASSERT_TRUE(main);
    std::string file(whole->bytes().text());
    Elf64_Ehdr header;
    memcpy(&header, file.data(), sizeof header);
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
    memcpy(file.data(), &header, sizeof header);
    auto image = elf::Image::parse(Bytes(file), "test");
    ASSERT_TRUE(image);
    ASSERT_TRUE(image->sections().empty());
    auto frame = elf::Frames::of(*image).at(main->front().vaddr + 1);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->start, main->front().vaddr);
    EXPECT_EQ(frame->end, main->front().vaddr + main->front().size);
}

}  // namespace
