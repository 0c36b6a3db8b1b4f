#include "probe/setup.h"

#include <gtest/gtest.h>

namespace uscope::probe {
namespace {

TEST(DescribeRefusals, CountsThemAmongAll)
{
    EXPECT_EQ(describe_refusals({{"are indirect (IFUNC)", 1}, {"are empty", 2}}, 17),
              "3 of 20 functions cannot be probed: 2 are empty, 1 are indirect (IFUNC)");
    EXPECT_EQ(describe_refusals({}, 17), "");
}

}  // namespace
}  // namespace uscope::probe
