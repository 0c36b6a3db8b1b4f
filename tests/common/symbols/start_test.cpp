#include "symbols/start.h"
#include "elf/image.h"

#include <cstring>

#include <gtest/gtest.h>

namespace uscope::symbols {
namespace {

// A minimal ELF file: one segment, with `code` at the offset and address `code_at`.
constexpr size_t code_at = 0x78;
std::string elf_with(std::string_view code)
{
    std::string file(code_at, '\0');
    Elf64_Ehdr header = {};
    memcpy(header.e_ident,
           "\x7f"
           "ELF\2\1\1",
           7);
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof(header);
    header.e_ehsize = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment = {};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_filesz = segment.p_memsz = code_at + code.size();
    memcpy(file.data(), &header, sizeof(header));
    memcpy(file.data() + sizeof(header), &segment, sizeof(segment));
    return file.append(code);
}

bool starts(std::string_view code)
{
    std::string file = elf_with(code);
    auto image = elf::Image::parse(Bytes(file), "test");
    EXPECT_TRUE(image) << image.error().text;
    return image && is_start(*image, code_at);
}

using namespace std::string_view_literals;

TEST(Start, IsKnownByItsName)
{
    EXPECT_TRUE(is_start("_start"));
    EXPECT_TRUE(is_start("__libc_start_call_main"));
    EXPECT_TRUE(is_start("runtime.goexit.abi0"));
    EXPECT_FALSE(is_start("main"));
    EXPECT_FALSE(is_start("start"));
    EXPECT_FALSE(is_start(""));
}

TEST(Start, OfMainIsKnownByTheCallOfExitBehindIt)
{
    EXPECT_TRUE(starts("\x89\xc7\xe8\x2f\x74\x01\x00"sv));
}

TEST(Start, OfAThreadIsKnownByWhereItsResultGoes)
{
    EXPECT_TRUE(starts("\x64\x48\x89\x04\x25\x28\x06\x00\x00"sv));
}

TEST(Start, OfAThreadMayBeBehindAJump)
{
    EXPECT_TRUE(starts("\xe9\x01\x00\x00\x00\x90\x64\x48\x89\x04\x25\x28\x06\x00\x00"sv));
    EXPECT_FALSE(starts("\xe9\x01\x00\x00\x00\x90\x90\x64\x48\x89\x04\x25\x28\x06\x00"sv));
}

TEST(Start, IsNotAnyOtherCode)
{
    EXPECT_FALSE(starts("\x48\x83\xc4\x08\xc3\x90\x90"sv));
    EXPECT_FALSE(starts("\xe9\x00\x00\x00\x70\x90"sv));  // a jump out of the file
    EXPECT_FALSE(starts("\x89"sv));
}

}  // namespace
}  // namespace uscope::symbols
