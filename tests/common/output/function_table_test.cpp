#include "output/function_table.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

const Frame shop = {"shop", FrameKind::Process};

std::string table(const std::vector<StackCount> &stacks)
{
    std::string out;
    for (const FunctionCount &function : count_functions(stacks, 3))
        out += function.name + " " + std::to_string(function.self) + " " +
               std::to_string(function.total) + "\n";
    return out;
}

TEST(FunctionTable, CountsWhereStacksEndAndWhatTheyContain)
{
    EXPECT_EQ(table({{{shop, "main", "sell"}, 5},
                     {{shop, "main", "sell", "sell"}, 2},
                     {{shop, "main"}, 1},
                     {{shop, "other"}, 3}}),
              "sell 7 7\nother 3 3\nmain 1 8\n");
}

TEST(FunctionTable, HasTheLargestFunctions)
{
    EXPECT_EQ(table({{{shop, "a"}, 1}, {{shop, "b"}, 4}, {{shop, "c"}, 2}, {{shop, "d"}, 3}}),
              "b 4 4\nd 3 3\nc 2 2\n");
}

// A process without a stack has no function; a thread may have a function's name.
TEST(FunctionTable, LeavesOutTheProcess)
{
    EXPECT_EQ(table({{{shop}, 9}, {{{"main", FrameKind::Process}, "main"}, 1}}), "main 1 1\n");
}

}  // namespace
}  // namespace uscope::output
