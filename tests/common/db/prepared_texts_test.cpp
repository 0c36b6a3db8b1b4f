#include "db/prepared_texts.h"

#include <gtest/gtest.h>

using namespace uscope::db;

namespace {

constexpr PreparedTexts::Connection first = {1, 10}, second = {1, 20}, third = {2, 10};

TEST(PreparedTexts, AreKeptByConnectionUntilItEnds)
{
    PreparedTexts texts;
    texts.prepare(first, 7, {"select ?", 8});
    ASSERT_TRUE(texts.find(first, 7));
    EXPECT_EQ(texts.find(first, 7)->text, "select ?");
    EXPECT_FALSE(texts.find(first, 8));
    EXPECT_FALSE(texts.find(third, 7));
    texts.prepare(first, 7, {"another", 7});
    EXPECT_EQ(texts.find(first, 7)->text, "another");
    texts.end(first);
    EXPECT_FALSE(texts.find(first, 7));
    EXPECT_FALSE(texts.has_forgotten());
}

TEST(PreparedTexts, OfTheConnectionThatIsUsedTheLeastAreForgottenFirst)
{
    PreparedTexts texts(3);
    texts.prepare(first, 1, {"a", 1});
    texts.prepare(second, 1, {"b", 1});
    texts.prepare(third, 1, {"c", 1});
    EXPECT_TRUE(texts.find(first, 1));
    texts.prepare(third, 2, {"d", 1});
    EXPECT_FALSE(texts.find(second, 1));
    EXPECT_TRUE(texts.find(first, 1));
    EXPECT_TRUE(texts.find(third, 2));
    EXPECT_TRUE(texts.has_forgotten());
}

TEST(PreparedTexts, HaveRoomForSoManyBytes)
{
    PreparedTexts texts(100, 8);
    texts.prepare(first, 1, {"12345", 5});
    texts.prepare(second, 1, {"123", 3});
    EXPECT_FALSE(texts.has_forgotten());
    texts.prepare(second, 2, {"1", 1});
    EXPECT_TRUE(texts.has_forgotten());
    EXPECT_FALSE(texts.find(first, 1));
    EXPECT_TRUE(texts.find(second, 1));
}

}  // namespace
