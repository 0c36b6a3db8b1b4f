#include "db/digests.h"

#include <gtest/gtest.h>

using namespace uscope::db;

namespace {

std::string texts(const std::vector<Digests::Row> &rows)
{
    std::string text;
    for (const auto &row : rows)
        text += row.text + " ";
    return text;
}

TEST(Digests, AddsUpAndForgets)
{
    Digests digests(10);
    digests.add("a", 100, false);
    digests.add("a", 300, true);
    auto rows = digests.take(DigestOrder::Total);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].text, "a");
    EXPECT_EQ(rows[0].errors, 1u);
    EXPECT_EQ(rows[0].latency.count(), 2u);
    EXPECT_EQ(rows[0].latency.max(), 300u);
    EXPECT_EQ(rows[0].latency.average(), 200u);
    EXPECT_TRUE(digests.take(DigestOrder::Total).empty());
}

TEST(Digests, AreSortedAsAsked)
{
    Digests digests(10);
    auto add = [&] {
        digests.add("often", 10, false);
        digests.add("often", 10, false);
        digests.add("often", 10, false);
        digests.add("long", 25, false);
        digests.add("twice", 20, false);
        digests.add("twice", 20, false);
    };
    add();
    EXPECT_EQ(texts(digests.take(DigestOrder::Total)), "twice often long ");
    add();
    EXPECT_EQ(texts(digests.take(DigestOrder::Count)), "often twice long ");
    add();
    EXPECT_EQ(texts(digests.take(DigestOrder::Average)), "long twice often ");
    add();
    EXPECT_EQ(texts(digests.take(DigestOrder::P99)), "long twice often ");
    add();
    EXPECT_EQ(texts(digests.take(DigestOrder::Max)), "long twice often ");
}

TEST(Digests, KeepALimitedNumber)
{
    Digests digests(2);
    for (const char *text : {"a", "b", "c", "d", "a"})
        digests.add(text, 1, false);
    auto rows = digests.take(DigestOrder::Count);
    EXPECT_EQ(texts(rows), "(others) a b ");
    EXPECT_EQ(rows[0].latency.count(), 2u);
}

}  // namespace
