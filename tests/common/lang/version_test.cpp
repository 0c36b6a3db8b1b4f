#include "lang/version.h"

#include <gtest/gtest.h>

namespace uscope::lang {
namespace {

TEST(Version, IsTheFirstNumberInAText)
{
    EXPECT_EQ(Version::in("libpython3.11.so.1.0"), (Version{3, 11, 0}));
    EXPECT_EQ(Version::in("17.0.21+9-Debian-1deb12u1"), (Version{17, 0, 21}));
    EXPECT_EQ(Version::in("php-fpm8.2"), (Version{8, 2, 0}));
    EXPECT_EQ(Version::in("25+36-LTS"), (Version{25, 0, 0}));
}

TEST(Version, IsUnknownWithoutANumber)
{
    EXPECT_FALSE(Version::in("ruby").is_known());
    EXPECT_FALSE(Version::in("").is_known());
    EXPECT_FALSE(Version::in("libruby-99999999999999999999.so").is_known());
}

TEST(Version, ComparesPartByPart)
{
    EXPECT_LT((Version{3, 9, 2}), (Version{3, 11, 0}));
    EXPECT_LT((Version{3, 11, 9}), (Version{3, 12, 0}));
}

TEST(Version, IsShownWithoutAnEmptyPatch)
{
    EXPECT_EQ(to_string({3, 11, 2}), "3.11.2");
    EXPECT_EQ(to_string({8, 2, 0}), "8.2");
}

}  // namespace
}  // namespace uscope::lang
