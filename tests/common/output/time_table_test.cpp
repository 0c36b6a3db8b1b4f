#include "output/time_table.h"

#include <gtest/gtest.h>

namespace uscope::output {
namespace {

TEST(TimeTable, HasTheLongestTimeFirst)
{
    Writer writer(-1);
    append_times(writer, {{"lock", {.ns = 2'350'000'000, .count = 12}},
                          {"sleep", {.ns = 150'000'000, .count = 1000}}});
    EXPECT_EQ(writer.buffer(),
              "    TIME      %      WAITS  REASON\n"
              "   2.35s  94.0%         12  lock\n"
              "   150ms   6.0%       1000  sleep\n");
    writer.buffer().clear();
    append_times(writer, {});
    EXPECT_EQ(writer.buffer(), "");
}

}  // namespace
}  // namespace uscope::output
