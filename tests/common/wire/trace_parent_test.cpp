#include "wire/trace_parent.h"

#include <gtest/gtest.h>

namespace uscope::wire {
namespace {

constexpr const char *header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceParent, IsReadIfItIsValid)
{
    auto ids = parse_traceparent(header);
    ASSERT_TRUE(ids);
    EXPECT_EQ(ids->trace_id[0], 0x4b);
    EXPECT_EQ(ids->span_id[7], 0xb7);
    EXPECT_EQ(ids->flags, 1);
    // a later version may be longer
    EXPECT_TRUE(parse_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x"));
    for (const char *wrong : {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                              "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                              "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                              "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"})
        EXPECT_FALSE(parse_traceparent(wrong)) << wrong;
}

TEST(TraceParent, HasATraceId)
{
    EXPECT_EQ(trace_id(header), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(trace_id("00-4bf92f"), "");
}

}  // namespace
}  // namespace uscope::wire
