#include "lang/field_reader.h"

#include <gtest/gtest.h>
#include <cstring>

namespace uscope::lang {
namespace {

// Returns a memory with these words at 0x1000, 0x1008 …; the rest of their page is 0. `reads`:
// counts how often it was read.
Memory memory_with_words(const std::vector<uint64_t> &words, unsigned *reads = nullptr)
{
    std::string page(4096, '\0');
    memcpy(page.data(), words.data(), words.size() * sizeof(uint64_t));
    auto read = [page, reads](uint64_t address, char *into, size_t bytes) -> size_t {
        if (reads)
            ++*reads;
        return address == 0x1000 ? page.copy(into, bytes) : 0;
    };
    return Memory([](const std::string &) { return std::nullopt; }, read);
}

TEST(FieldReader, FollowsPointersToAValue)
{
    Memory memory = memory_with_words({0, 0x1018, 0, 0, 0x1000, 0, 42});
    FieldReader from(memory);
    EXPECT_EQ(from.follow(0x1000, {8, 8, 48}), 42u);
    EXPECT_EQ(from.follow<uint8_t>(0x1008, {40}), 42);
    EXPECT_EQ(from.result(7), 7);
}

TEST(FieldReader, FailsAtANullPointerWithoutReadingThere)
{
    unsigned reads = 0;
    Memory memory = memory_with_words({0, 0x1000}, &reads);
    for (auto offsets : {std::initializer_list<uint64_t>{0, 8}, {8, 0, 8}}) {
        FieldReader from(memory);
        EXPECT_EQ(from.follow(0x1000, offsets), 0u);
        EXPECT_TRUE(from.failed());
    }
    FieldReader from(memory);
    EXPECT_EQ(from.read(0), 0u);
    EXPECT_TRUE(from.failed());
    EXPECT_EQ(reads, 1u);  // the page at 0x1000, once
}

TEST(FieldReader, ReadsNothingAfterAFailure)
{
    Memory memory = memory_with_words({5, 0x656e6f});
    FieldReader from(memory);
    EXPECT_EQ(from.read(0x9000), 0u);
    EXPECT_EQ(from.read(0x1000), 0u);
    EXPECT_EQ(from.number(0x1000, 1), 0u);
    EXPECT_EQ(from.string(0x1008), "");
    EXPECT_EQ(from.bytes(0x1008, 3, 3), "");
    EXPECT_EQ(from.result(7), std::nullopt);
}

TEST(FieldReader, ReadsTextsUpToALimit)
{
    Memory memory = memory_with_words({0x01020304, 0x656e6f});
    FieldReader from(memory);
    EXPECT_EQ(from.string(0x1008), "one");
    EXPECT_EQ(from.bytes(0x1008, 2, 2), "on");
    EXPECT_EQ(from.number(0x1000, 3), 0x020304u);
    EXPECT_FALSE(from.failed());
    EXPECT_EQ(from.bytes(0x1008, 3, 2), "");
    EXPECT_TRUE(from.failed());
}

TEST(FieldReader, FailsIfSomethingIsNotAsExpected)
{
    Memory memory = memory_with_words({});
    FieldReader from(memory);
    EXPECT_TRUE(from.expect(true));
    EXPECT_EQ(from.take(std::optional(3)), 3);
    EXPECT_FALSE(from.failed());
    EXPECT_FALSE(from.expect(false));
    EXPECT_FALSE(from.expect(true));
    FieldReader other(memory);
    EXPECT_EQ(other.take(std::optional<int>()), 0);
    EXPECT_TRUE(other.failed());
}

}  // namespace
}  // namespace uscope::lang
