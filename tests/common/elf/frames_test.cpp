#include "elf/frames.h"

#include <gtest/gtest.h>

#include "elf/functions.h"
#include "support/files.h"

using namespace uscope;

namespace {

using tests::target;

TEST(Frames, ToldOfFunctionsAndOfWhatIsNotCalled)
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
    // The kernel starts it, with argc on top of the stack.
    auto [function, frame] = frame_of("_start");
    ASSERT_TRUE(frame);
    EXPECT_FALSE(frame->is_called);
    EXPECT_FALSE(frames.at(0));
    EXPECT_FALSE(frames.at(~0ull));
}

// The signal trampoline's FDE begins before it, and says that it is one.
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

}  // namespace
