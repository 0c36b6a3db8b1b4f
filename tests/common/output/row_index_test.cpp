#include "output/row_index.h"

#include <gtest/gtest.h>

#include "output/rows.h"

namespace uscope::output {
namespace {

struct Row {
    std::string name;
    std::optional<uint64_t> count;
};

Writer::Held written(Writer &writer, const std::vector<Row> &rows)
{
    writer.hold();
    append(writer.buffer(), "before\n");
    Rows<Row> table(writer,
                    {{"NAME", 4, "name", &Row::name},
                     {"N", right(3), "n", or_dash(&Row::count),
                      [](const Row &row) { return row.count ? Cell("n") : Cell("-"); }}},
                    false);
    table.header();
    for (const Row &row : rows) {
        table.add(row);
        append(writer.buffer(), "  " + row.name + "\n");
    }
    return writer.release();
}

class RowIndexTest : public testing::Test {
  protected:
    Writer writer{-1};
};

// Sorted by the value, and not by the text that is shown.
TEST_F(RowIndexTest, SortsRowsWithTheLinesBelowThem)
{
    auto held = written(writer, {{"a", 2}, {"b", {}}, {"c", 10}});
    EXPECT_EQ(held.rows.titles(), (std::vector<std::string>{"NAME", "N"}));
    EXPECT_EQ(held.rows.sorted(held.text, "N", {}),
              "before\nNAME   N\nc      n\n  c\na      n\n  a\nb      -\n  b\n");
    EXPECT_EQ(held.rows.sorted(held.text, "N", 1), "before\nNAME   N\nc      n\n  c\n");
    EXPECT_EQ(held.rows.sorted(held.text, "NAME", 2),
              "before\nNAME   N\na      n\n  a\nb      -\n  b\n");
}

TEST_F(RowIndexTest, KeepsTheOrderWithoutSuchAColumn)
{
    auto held = written(writer, {{"b", 1}, {"a", 2}});
    EXPECT_EQ(held.rows.sorted(held.text, "OTHER", {}), held.text);
    EXPECT_EQ(held.rows.sorted(held.text, "", 1), "before\nNAME   N\nb      n\n  b\n");
    held = written(writer, {});
    EXPECT_EQ(held.rows.sorted(held.text, "N", {}), "before\nNAME   N\n");
    EXPECT_EQ(RowIndex().sorted("text", "N", 1), "text");
}

TEST_F(RowIndexTest, IsOnlyWrittenWhileTheWriterHolds)
{
    EXPECT_EQ(writer.row_index(), nullptr);
    EXPECT_EQ(writer.max_rows(3), 3u);
    writer.hold();
    EXPECT_NE(writer.row_index(), nullptr);
    EXPECT_EQ(writer.max_rows(3), std::nullopt);
    EXPECT_EQ(writer.release().text, "");
    EXPECT_EQ(writer.row_index(), nullptr);
}

}  // namespace
}  // namespace uscope::output
