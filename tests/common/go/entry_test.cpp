#include "go/entry.h"

#include <gtest/gtest.h>

namespace uscope::go {
namespace {

uint64_t offset_of(std::string_view code)
{
    return entry_offset(Bytes(code));
}

using namespace std::string_view_literals;

TEST(GoEntry, IsBehindTheStackCheck)
{
    EXPECT_EQ(offset_of("\x49\x3b\x66\x10\x76\x20\x55"sv), 6u);
    EXPECT_EQ(offset_of("\x49\x3b\x66\x10\x0f\x86\x20\0\0\0\x55"sv), 10u);
}

TEST(GoEntry, IsBehindTheCheckOfALargeFrame)
{
    EXPECT_EQ(offset_of("\x4c\x8d\x64\x24\xb0\x4d\x3b\x66\x10\x76\x20\x55"sv), 11u);
    EXPECT_EQ(offset_of("\x4c\x8d\xa4\x24\xb0\xff\xff\xff\x4d\x3b\x66\x10\x0f\x86\x20\0\0\0\x55"sv),
              18u);
}

TEST(GoEntry, IsBehindTheCheckOfAFrameThatMayWrap)
{
    EXPECT_EQ(offset_of("\x49\x89\xe4\x49\x81\xec\x18\x3e\0\0\x0f\x82\xa1\0\0\0"
                        "\x4d\x3b\x66\x10\x0f\x86\x97\0\0\0\x48"sv),
              26u);
    EXPECT_EQ(offset_of("\x49\x89\xe4\x49\x81\xec\x18\x3e\0\0\x72\x21"
                        "\x4d\x3b\x66\x10\x76\x17\x48"sv),
              18u);
    EXPECT_EQ(offset_of("\x49\x89\xe4\x49\x81\xec\x18\x3e\0\0\x4d\x3b\x66\x10\x76\x17\x48"sv), 0u);
}

// Code of Go 1.15, which reads the goroutine from memory before the stack check.
TEST(GoEntry, IsBehindTheCheckThatFetchesTheGoroutine)
{
    EXPECT_EQ(offset_of("\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff\x48\x3b\x61\x10\x76\x20\x55"sv), 15u);
    EXPECT_EQ(offset_of("\x48\xc7\xc1\xf8\xff\xff\xff\x64\x48\x8b\x09"
                        "\x48\x8d\x44\x24\xd0\x48\x3b\x41\x10\x0f\x86\x3a\x01\0\0\x48"sv),
              26u);
    EXPECT_EQ(offset_of("\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff\x48\x8b\x71\x10"
                        "\x48\x81\xfe\xde\xfa\xff\xff\x0f\x84\xb9\0\0\0"
                        "\x48\x8d\x84\x24\xa0\x03\0\0\x48\x29\xf0\x48\x3d\xb8\x41\0\0"
                        "\x0f\x86\xa2\0\0\0\x48"sv),
              49u);
    // Loads another thread-local variable.
    EXPECT_EQ(offset_of("\x64\x48\x8b\x0c\x25\xf0\xff\xff\xff\x48\x3b\x61\x10\x76\x20\x55"sv), 0u);
}

TEST(GoEntry, IsTheFirstInstructionWithoutACheck)
{
    EXPECT_EQ(offset_of("\x48\x83\xec\x18\xc3"sv), 0u);
    EXPECT_EQ(offset_of(""sv), 0u);
}

TEST(GoEntry, MayBeTheJumpOfTheCheck)
{
    auto of = [](std::string_view code) { return call_offset(Bytes(code)); };
    EXPECT_EQ(of("\x49\x3b\x66\x10\x76\x20\x55"sv), 4u);
    EXPECT_EQ(of("\x49\x3b\x66\x10\x0f\x86\x20\0\0\0\x55"sv), 4u);
    EXPECT_EQ(of("\x49\x3b\x66\x10\x0f\x86\x76\0\0\0\x55"sv), 4u);
    EXPECT_EQ(of("\x49\x3b\x66\x10\x0f\x86\x20\0\x76\0\x55"sv), 4u) << "the distance ends so";
    EXPECT_EQ(of("\x48\x83\xec\x18\xc3"sv), 0u);
}

TEST(GoEntry, IsNotSoughtBehindTheEnd)
{
    EXPECT_EQ(offset_of("\x49\x3b\x66\x10\x76\x20"sv), 0u);
    EXPECT_EQ(offset_of("\x49\x3b\x66\x10"sv), 0u);
    EXPECT_EQ(offset_of("\x49\x3b\x66\x10\x0f\x86\x20\0"sv), 0u);
    // The lea computes the stack's end for a large frame, but the compare does not use its result.
    EXPECT_EQ(offset_of("\x4c\x8d\x64\x24\xb0\x49\x3b\x66\x10\x76\x20\x55"sv), 0u);
}

}  // namespace
}  // namespace uscope::go
