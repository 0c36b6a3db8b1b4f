#include "lang/held_memory.h"

#include <gtest/gtest.h>

namespace uscope::lang {
namespace {

output::NamedStack stack(const char *leaf)
{
    output::NamedStack stack;
    stack.comm = "shop";
    stack.user = {leaf, "main"};
    return stack;
}

HeldMemory held(uint64_t bytes, double times = 1)
{
    HeldMemory held;
    held.add({.address = 0x1000, .bytes = bytes, .age_ns = bytes}, times);
    return held;
}

std::string leaves(const std::vector<const HeldRow *> &rows)
{
    std::string names;
    for (const HeldRow *row : rows)
        names += row->first.user[0].name + " ";
    return names;
}

std::string text(const HeldRow &row, const HeldStyle &style)
{
    std::string out;
    append_text(out, row, style);
    return out;
}

TEST(HeldMemory, IsWhatSamplesStandFor)
{
    HeldMemory both = held(100, 2.5);
    both.add(held(10));
    EXPECT_EQ(both.bytes_change(), 260);
    EXPECT_EQ(both.count_change(), 4);  // 3.5
    EXPECT_EQ(both.samples, 2u);
    EXPECT_EQ(both.oldest_ns, 100u);
    EXPECT_EQ(both.youngest_ns, 10u);
}

TEST(HeldMemory, HasTheMostLast)
{
    HeldByStack rows = {{stack("few"), held(1000)}, {stack("many"), held(10, 50)}};
    EXPECT_EQ(leaves(rank_held(rows, false, {})), "many few ");
    EXPECT_EQ(leaves(rank_held(rows, true, {})), "few many ");
    EXPECT_EQ(leaves(rank_held(rows, true, 1)), "many ");
}

TEST(HeldMemory, ChangesFromOneTimeToTheNext)
{
    HeldBefore before;
    HeldByStack first = {{stack("same"), held(10)}, {stack("gone"), held(20)}};
    before.compare(first);
    EXPECT_EQ(leaves(rank_held(first, false, {})), "same gone ");

    HeldByStack second = {{stack("same"), held(10)}, {stack("new"), held(30)}};
    before.compare(second);
    auto rows = rank_held(second, false, {});
    EXPECT_EQ(leaves(rows), "gone new ");
    EXPECT_EQ(rows[0]->second.bytes_change(), -20);
    auto grown = fold_held(rows);
    ASSERT_EQ(grown.size(), 1u);
    ASSERT_EQ(grown[0].frames.size(), 3u);
    EXPECT_EQ(grown[0].frames[2].name, "new");

    HeldByStack third = second;  // rows that were shown as gone are not shown again
    third.erase(stack("gone"));
    for (auto &[name, row] : third)
        row.bytes_before = row.count_before = 0;
    before.compare(third);
    EXPECT_EQ(leaves(rank_held(third, false, {})), "");
}

TEST(HeldMemory, IsALineAFrame)
{
    EXPECT_EQ(text({stack("load"), held(100)}, {}),
              "\t100 bytes in 1 allocations from stack\n\t\tload\n\t\tmain\n");
    output::NamedStack of_process = stack("load");
    of_process.pid = 7;
    of_process.cut = "no rule";
    HeldRow row = {of_process, held(100)};
    row.second.blocks.push_back({.address = 0x1000, .bytes = 100, .age_ns = 1'500'000'000});
    EXPECT_EQ(text(row, {.changes = true, .estimated = true}),
              "\tshop [7]\n\tabout +100 bytes in +1 allocations from stack\n"
              "\taddr = 0x1000 size = 100 age = 1.50s\n\t\tload\n\t\tmain\n\t\t[cut: no rule]\n");
}

TEST(HeldMemory, HasATotal)
{
    HeldByStack rows = {{stack("load"), held(100)}, {stack("parse"), held(20, 3)}};
    auto total = [&](const HeldStyle &style) {
        std::string out;
        append_total(out, rows, style);
        return out;
    };
    EXPECT_EQ(total({}), "\ttotal: 160 bytes in 4 allocations from 2 stacks\n");
    EXPECT_EQ(total({.estimated = true}),
              "\ttotal: about 160 bytes in 4 allocations from 2 stacks\n");
    rows[stack("load")].bytes_before = 130;
    rows[stack("load")].count_before = 1;
    EXPECT_EQ(total({.changes = true}), "\ttotal: +30 bytes in +3 allocations from 2 stacks\n");
}

TEST(HeldMemory, HasInJsonWhatWasAskedFor)
{
    auto json = [](const HeldStyle &style) {
        output::Writer writer(-1);
        HeldRow row = {stack("load"), held(100)};
        row.second.blocks.push_back({.address = 0x1000, .bytes = 100, .age_ns = 5});
        output::Rows<HeldRow>(writer, held_fields(style, 3), true).add(row);
        std::string text = writer.buffer();
        writer.buffer().clear();
        return text;
    };
    EXPECT_EQ(json({}), R"({"time_ns":3,"bytes":100,"count":1,"oldest_ns":100,"youngest_ns":100,)"
                        R"("comm":"shop","user_stack":["load","main"]})"
                        "\n");
    EXPECT_EQ(json({.changes = true, .estimated = true, .blocks = true}),
              R"({"time_ns":3,"bytes":100,"count":1,"bytes_change":100,"count_change":1,)"
              R"("samples":1,"oldest_ns":100,"youngest_ns":100,"comm":"shop",)"
              R"("user_stack":["load","main"],)"
              R"("blocks":[{"address":"0x1000","bytes":100,"age_ns":5}]})"
              "\n");
}

}  // namespace
}  // namespace uscope::lang
