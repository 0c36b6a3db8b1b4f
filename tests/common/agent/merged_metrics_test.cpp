#include "agent/merged_metrics.h"

#include <gtest/gtest.h>

namespace uscope::agent {
namespace {

TEST(MergedMetrics, HaveEachFamilyOnce)
{
    MergedMetrics merged;
    merged.add(
        "# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\"} 3\na_total 4\n"
        "# HELP b B.\n# TYPE b gauge\nb 5\n",
        "one");
    merged.add("# HELP a_total A.\n# TYPE a_total counter\na_total{x=\"1\"} 7\n", "two");
    merged.add("# HELP c C.\n# TYPE c gauge\nc 1\n", "");
    merged.add("", "three");
    EXPECT_EQ(merged.text(),
              "# HELP a_total A.\n# TYPE a_total counter\n"
              "a_total{tool=\"one\",x=\"1\"} 3\n"
              "a_total{tool=\"one\"} 4\n"
              "a_total{tool=\"two\",x=\"1\"} 7\n"
              "# HELP b B.\n# TYPE b gauge\nb{tool=\"one\"} 5\n"
              "# HELP c C.\n# TYPE c gauge\nc 1\n");
}

TEST(MergedMetrics, KeepALabelOfTheSameName)
{
    MergedMetrics merged;
    merged.add(
        "# HELP a A.\n# TYPE a gauge\na{tool=\"x\"} 1\na{b=\",tool=\\\"\",tool=\"y\"} 2\n"
        "a{stool=\"z\"} 3\n",
        "t");
    EXPECT_EQ(merged.text(),
              "# HELP a A.\n# TYPE a gauge\n"
              "a{tool=\"t\",exported_tool=\"x\"} 1\n"
              "a{tool=\"t\",b=\",tool=\\\"\",exported_tool=\"y\"} 2\n"
              "a{tool=\"t\",stool=\"z\"} 3\n");
}

}  // namespace
}  // namespace uscope::agent
