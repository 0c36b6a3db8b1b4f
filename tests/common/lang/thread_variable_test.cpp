#include "lang/thread_variable.h"

#include <gtest/gtest.h>

#include <string>

#include "common/elf/elf_builder.h"

namespace uscope::lang {
namespace {

// Returns the thread variable that a function with this machine code reads.
std::optional<ThreadVariable> variable_in(const std::string &code, uint64_t &function)
{
    elf::ElfBuilder file;
    function = elf::ElfBuilder::base + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    file.add_section(".text", SHT_PROGBITS, code + std::string(64, '\x90'));
    std::string bytes = file.build();
    auto image = elf::Image::parse(Bytes(bytes), "libpython3.15.so.1.0");
    EXPECT_TRUE(image);
    return find_thread_variable(*image, function);
}

TEST(ThreadVariable, OfAProgramIsSoFarFromTheThreadPointer)
{
    uint64_t function = 0;
    auto found =
        variable_in({"\xf3\x0f\x1e\xfa\x64\x48\x8b\x04\x25\xd8\xff\xff\xff\xc3", 14}, function);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->state_by, UNWIND_STATE_BY_OFFSET);
    EXPECT_EQ(found->key, uint64_t(-0x28));
    EXPECT_TRUE(found->loads.empty());
}

TEST(ThreadVariable, OfALibraryIsWhereTheDynamicLinkerSays)
{
    // push %rbp; lea 0x1000(%rip),%rdi; call; pop %rbp; mov 0x128(%rax),%rax; mov 0x30(%rax),%rax;
    // ret
    uint64_t function = 0;
    auto found = variable_in({"\x55\x48\x8d\x3d\x00\x10\x00\x00\xe8\x00\x00\x00\x00\x5d"
                              "\x48\x8b\x80\x28\x01\x00\x00\x48\x8b\x40\x30\xc3",
                              26},
                             function);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->state_by, UNWIND_STATE_BY_MODULE);
    EXPECT_EQ(found->key, function + 8 + 0x1000);
    EXPECT_EQ(found->loads, (std::vector<int>{0x128, 0x30}));
}

TEST(ThreadVariable, IsNoneOfAFunctionThatReadsNone)
{
    uint64_t function = 0;
    EXPECT_FALSE(
        variable_in({"\x48\x8b\x05\x00\x10\x00\x00\xc3", 8}, function));  // mov 0x1000(%rip),%rax
    // lea 0x1000(%rip),%rdi; ret. The call after it belongs to the next function.
    EXPECT_FALSE(
        variable_in({"\x48\x8d\x3d\x00\x10\x00\x00\xc3\xe8\x00\x00\x00\x00\xc3", 14}, function));
}

}  // namespace
}  // namespace uscope::lang
