#include "output/compared_stacks.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

std::string all(const std::vector<StackCount> &stacks)
{
    std::string out;
    for (const StackCount &stack : stacks)
        append_text(out, stack, true, "");
    return out;
}

TEST(ComparedStacks, ScalesTheEarlierRecording)
{
    StacksBefore before;
    before.add({{.frames = {"demo", "main"}, .count = 3}, {.frames = {"gone"}, .count = 1}});
    std::vector<StackCount> stacks = {{.frames = {"demo", "main"}, .count = 20},
                                      {.frames = {"new"}, .count = 20}};
    before.compare(stacks);
    EXPECT_EQ(all(stacks),
              "    main\n    demo\n        -10 (30 before, 20 now)\n\n"
              "    new\n        +20 (0 before, 20 now)\n\n"
              "    gone\n        -10 (10 before, 0 now)\n\n");
    sort_by_change(stacks);
    EXPECT_EQ(stacks[2].frames[0].name, "new");
}

TEST(ComparedStacks, HaveTheUnitOfTheirCounts)
{
    StackCount stack = {.frames = {"main"}, .count = 4'000'000'000, .before = 4'000'000'001};
    std::string out;
    append_text(out, stack, true, "events");
    stack.before = 1'000'000'000;
    append_text(out, stack, true, "ns");
    EXPECT_EQ(out,
              "    main\n        -1 event (4,000,000,001 before, 4,000,000,000 now)\n\n"
              "    main\n        +3.00 s (1.00 s before, 4.00 s now)\n\n");
}

TEST(ComparedStacks, OmitsWhatIsInNeitherRecording)
{
    StacksBefore before;
    before.add({{.frames = {"demo"}, .count = 3}});
    std::vector<StackCount> stacks;
    before.compare(stacks);
    EXPECT_TRUE(stacks.empty());
}

TEST(ComparedStacks, AreFoldedWithBothCounts)
{
    std::string out;
    append_folded(out, {.frames = {"demo", "main"}, .count = 1, .before = 3}, true);
    EXPECT_EQ(out, "demo;main 3 1\n");
}

TEST(ComparedStacks, AreAsTheyWereWithoutARecording)
{
    std::vector<StackCount> stacks = {{.frames = {"much"}, .count = 5},
                                      {.frames = {"little"}, .count = 2}};
    StacksBefore().compare(stacks);
    sort_by_change(stacks);
    std::string out;
    for (const StackCount &stack : stacks)
        append_text(out, stack, false, "events");
    EXPECT_EQ(out, "    little\n        2\n\n    much\n        5\n\n");
}

TEST(ComparedStacks, AreJsonWithTheChange)
{
    StackCount stack = {.frames = {"demo", "main"}, .count = 1, .before = 3};
    std::string out;
    append_json(out, stack, true, 7);
    append_json(out, stack, false, 7);
    EXPECT_EQ(out, R"({"time_ns":7,"count":1,"before":3,"change":-2,"stack":["demo","main"]})"
                   "\n"
                   R"({"time_ns":7,"count":1,"stack":["demo","main"]})"
                   "\n");
}

}  // namespace
}  // namespace uscope::output
