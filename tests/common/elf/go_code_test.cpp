#include "elf/go_code.h"

#include <gtest/gtest.h>

#include "common/elf/elf_builder.h"

namespace uscope::elf {
namespace {

using namespace std::literals;

// A file whose section .text has this code.
struct Code {
    explicit Code(std::string_view code, uint16_t machine = EM_X86_64) : size(code.size())
    {
        ElfBuilder builder;
        builder.header.e_machine = machine;
        builder.add_section(".text", SHT_PROGBITS, std::string(code));
        file = builder.build();
        auto parsed = Image::parse(Bytes(file), "code");
        EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
        image.emplace(std::move(*parsed));
        start = image->section(".text")->vaddr;
    }
    bool saves(uint64_t framed_from, uint64_t bytes) const
    {
        return saves_frame_pointer(*image, start + framed_from, bytes);
    }
    bool may_move() const { return may_move_stack(*image, start, size); }

    size_t size;
    std::string file;
    std::optional<Image> image;
    uint64_t start = 0;
};

TEST(GoCode, SavesTheFramePointerInTheFrame)
{
    Code code("\x48\x83\xec\x18\x48\x89\x6c\x24\x10\xc3\xcc\xcc\xcc\xcc"sv);  // sub; mov
    EXPECT_TRUE(code.saves(4, 0x18));
    EXPECT_FALSE(code.saves(4, 0x20));  // saves it elsewhere
    EXPECT_FALSE(code.saves(0, 0x18));
    Code large("\x48\x89\xac\x24\xf8\x01\x00\x00\xc3"sv);  // mov %rbp,0x1f8(%rsp)
    EXPECT_TRUE(large.saves(0, 0x200));
}

TEST(GoCode, SavesTheFramePointerAsTheFrame)
{
    EXPECT_TRUE(Code("\x55\x48\x89\xe5\xc3"sv).saves(1, 8));      // push %rbp
    EXPECT_TRUE(Code("\x90\x48\x89\x2c\x24\xc3"sv).saves(1, 8));  // mov %rbp,(%rsp)
    EXPECT_FALSE(Code("\x90\x48\x89\xe5\xc3"sv).saves(1, 8));
}

TEST(GoCode, SavesTheFramePointerOnArm)
{
    EXPECT_TRUE(Code("\xfd\x83\x1f\xf8"sv, EM_AARCH64).saves(0, 32));
    EXPECT_FALSE(Code("\xfd\x83\x1f\xf9"sv, EM_AARCH64).saves(0, 32));
}

TEST(GoCode, MovesTheStackPointerToAnotherStack)
{
    EXPECT_TRUE(Code("\x48\x89\xc4\xc3"sv).may_move());                   // mov %rax,%rsp
    EXPECT_TRUE(Code("\x90\x48\x8b\x60\x38\xc3"sv).may_move());           // mov 0x38(%rax),%rsp
    EXPECT_TRUE(Code("\x48\x83\xe4\xf0\xc3"sv).may_move());               // and $-16,%rsp
    EXPECT_FALSE(Code("\x48\x83\xec\x18\xc3"sv).may_move());              // sub $0x18,%rsp
    EXPECT_FALSE(Code("\x48\x89\x44\x24\x08\x89\xe5\xc3"sv).may_move());  // mov %rax,8(%rsp)
}

}  // namespace
}  // namespace uscope::elf
