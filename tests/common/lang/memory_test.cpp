#include "lang/memory.h"

#include <gtest/gtest.h>

#include "support/hotspot_memory.h"

namespace uscope::lang {
namespace {

// Two pages and a part of a third one.
constexpr size_t size = 2 * 4096 + 100;

TEST(Memory, ReadsAcrossPages)
{
    std::string bytes(size, '\0');
    bytes.replace(4092, 8, "abcdefgh");
    Memory memory = tests::memory_of(bytes);
    EXPECT_EQ(memory.read<uint64_t>(4092), 0x6867666564636261u);
    EXPECT_EQ(memory.string(4092), "abcdefgh");
}

TEST(Memory, HasNothingBehindItsEnd)
{
    std::string bytes(size, 'x');
    Memory memory = tests::memory_of(bytes);
    EXPECT_TRUE(memory.read<uint64_t>(size - 8));
    EXPECT_FALSE(memory.read<uint64_t>(size - 7));
    EXPECT_FALSE(memory.read<uint64_t>(UINT64_MAX - 3));
    EXPECT_FALSE(memory.string(size));
}

TEST(Memory, CutsStrings)
{
    std::string bytes(size, 'x');
    Memory memory = tests::memory_of(bytes);
    EXPECT_EQ(memory.string(4000), std::string(255, 'x'));
    EXPECT_EQ(memory.string(size - 3), "xxx");
}

TEST(Memory, HasEmptyStrings)
{
    std::string bytes(size, '\0');
    EXPECT_EQ(tests::memory_of(bytes).string(4095), "");
}

// Memory keeps the pages that it has read, so that thousands of small reads need few system calls.
TEST(Memory, ReadsAPageOnce)
{
    int reads = 0;
    auto read = [&](uint64_t, char *into, size_t bytes) {
        reads++;
        memset(into, 'x', bytes);
        return bytes;
    };
    Memory memory([](const std::string &) { return std::nullopt; }, read);
    for (uint64_t i = 0; i < 4096; i++)
        memory.read<char>(i);
    EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace uscope::lang
