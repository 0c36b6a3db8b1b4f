#include "elf/dynamic.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "elf/functions.h"
#include "support/files.h"

namespace uscope::elf {
namespace {

Image open_target(const char *name)
{
    auto image = Image::open(uscope::tests::target(name));
    EXPECT_TRUE(image) << image.error().text;
    return std::move(*image);
}

TEST(NeededLibraries, AreThoseOfTheDynamicSection)
{
    auto libraries = needed_libraries(open_target("indirect"));
    EXPECT_NE(std::find(libraries.begin(), libraries.end(), "libc.so.6"), libraries.end());
}

TEST(IndirectSlots, AreFoundByTheResolver)
{
    Image image = open_target("indirect");
    auto scale = find_functions(image, "scale");
    ASSERT_TRUE(scale) << scale.error().text;
    EXPECT_TRUE(scale->front().is_indirect);
    auto slots = indirect_slots(image, scale->front().vaddr);
    ASSERT_EQ(slots.size(), 1u);
    EXPECT_TRUE(image.file_offset(slots[0]));
    EXPECT_FALSE(image.is_executable(slots[0]));
    auto fast = find_functions(image, "scale_fast");
    ASSERT_TRUE(fast) << fast.error().text;
    EXPECT_FALSE(fast->front().is_indirect);
    EXPECT_TRUE(indirect_slots(image, fast->front().vaddr).empty());
}

}  // namespace
}  // namespace uscope::elf
