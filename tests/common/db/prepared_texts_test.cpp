#include "db/prepared_texts.h"

#include <gtest/gtest.h>

using namespace uscope::db;

namespace {

constexpr PreparedTexts::Connection one = {1, 0x1000}, other = {1, 0x2000}, elsewhere = {2, 0x1000};

TEST(PreparedTexts, AreKnownByConnectionAndStatement)
{
    PreparedTexts texts;
    texts.prepare(one, 0x10, {"a", 1});
    ASSERT_TRUE(texts.find(one, 0x10));
    EXPECT_EQ(texts.find(one, 0x10)->text, "a");
    EXPECT_FALSE(texts.find(one, 0x20));
    EXPECT_FALSE(texts.find(other, 0x10));
    EXPECT_FALSE(texts.find(elsewhere, 0x10));
}

TEST(PreparedTexts, ALaterPreparationAtTheSameAddressCounts)
{
    PreparedTexts texts;
    texts.prepare(one, 0x10, {"a", 1});
    texts.prepare(one, 0x10, {"b", 70000});
    EXPECT_EQ(texts.find(one, 0x10)->text, "b");
    EXPECT_EQ(texts.find(one, 0x10)->length, 70000u);
}

TEST(PreparedTexts, EndWithTheirConnection)
{
    PreparedTexts texts;
    texts.prepare(one, 0x10, {"a", 1});
    texts.prepare(other, 0x10, {"b", 1});
    texts.end(one);
    EXPECT_FALSE(texts.find(one, 0x10));
    EXPECT_TRUE(texts.find(other, 0x10));
}

}  // namespace
